import Bitstream
import Media

/// A track of an MP4 file: its number, timescale and content.
struct MP4Track: Sendable {
    enum Kind: Sendable {
        case video(VideoTrackFormat, configuration: AVCDecoderConfigurationRecord)
        case audio(AudioTrackFormat)
    }

    /// `track_ID`, starting at 1.
    let id: UInt32
    let kind: Kind
    /// The track of its packets.
    let source: Track
    /// The timescale in ticks per second: 90 kHz for video, the sample rate for audio.
    let timescale: UInt32
    /// True if decode times may precede time zero. The offset is unknown until the first packet.
    let mayReorder: Bool
    /// False for tracks that `mixed` already contains: a player that plays every enabled track would play them twice.
    let isEnabled: Bool

    /// The default duration of a sample in ticks.
    var nominalSampleDuration: Int64 {
        switch kind {
        case .video(let format, _): max(1, Int64(timescale) / Int64(max(1, format.frameRate)))
        // A packet of Opus has 20 ms.
        case .audio(let format): format.isOpus ? Int64(timescale / 50) : Int64(AudioTrackFormat.framesPerPacket)
        }
    }

    /// The encoder's priming before time zero, in ticks.
    var priming: Int64 {
        switch kind {
        case .video: 0
        case .audio(let format): Int64(max(0, format.priming))
        }
    }

    /// The tracks of `stream` that MP4 supports: H.264, AAC and Opus. Raw video is omitted.
    static func tracks(of stream: StreamDescription) -> [MP4Track] {
        var tracks: [MP4Track] = []
        if let video = stream.video, case .h264(let sequence, let picture) = video.codec {
            let configuration = AVCDecoderConfigurationRecord(
                sequenceParameterSet: sequence, pictureParameterSet: picture)
            tracks.append(
                MP4Track(
                    id: 1, kind: .video(video, configuration: configuration), source: .screen, timescale: 90_000,
                    mayReorder: SequenceParameterSet(nalUnit: sequence)?.mayReorder ?? true, isEnabled: true))
        }
        let hasMixed = stream.audio.contains { $0.track == .mixed }
        for audio in stream.audio where audio.format.sampleRate > 0 {
            tracks.append(
                MP4Track(
                    id: UInt32(tracks.count + 1), kind: .audio(audio), source: audio.track,
                    timescale: UInt32(clamping: audio.format.sampleRate),
                    mayReorder: false, isEnabled: !hasMixed || audio.track == .mixed))
        }
        return tracks
    }
}

extension AudioTrackFormat {
    var isOpus: Bool { audioSpecificConfig.isEmpty }
}

/// A sample of a track, in ticks of its timescale.
struct MP4Sample: Sendable {
    /// The decode time on the session's timeline; negative for an encoder's priming and for reordered video.
    let decodeTime: Int64
    /// The presentation time minus the decode time.
    let compositionOffset: Int32
    let isSync: Bool
    let data: [UInt8]

    var presentationTime: Int64 { decodeTime + Int64(compositionOffset) }
}
