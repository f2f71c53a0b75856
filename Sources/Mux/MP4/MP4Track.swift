import Bitstream
import Media

/// A track of an MP4 file: its number, its clock and what it carries.
struct MP4Track: Sendable {
    enum Kind: Sendable {
        case video(VideoTrackFormat, configuration: AVCDecoderConfigurationRecord)
        case audio(AudioTrackFormat)
    }

    /// `track_ID`, from 1.
    let id: UInt32
    let kind: Kind
    /// Where its packets come from.
    let source: Track
    /// Ticks a second of the track's media: 90 kHz for video, the sample rate for audio.
    let timescale: UInt32
    /// True where decode times may come before time zero, nobody knows how far before the first packet is there.
    let mayReorder: Bool
    /// False for tracks that `mixed` already holds: a player that plays every enabled track would play them twice.
    let isEnabled: Bool

    /// The duration of a sample of which nothing better is known, in ticks.
    var nominalSampleDuration: Int64 {
        switch kind {
        case .video(let format, _): max(1, Int64(timescale) / Int64(max(1, format.frameRate)))
        case .audio: Int64(AudioTrackFormat.framesPerPacket)
        }
    }

    /// Ticks of the encoder's priming, which comes before time zero.
    var priming: Int64 {
        switch kind {
        case .video: 0
        case .audio(let format): Int64(max(0, format.priming))
        }
    }

    /// The tracks of `stream` that MP4 can hold: H.264, and AAC. Raw video is left out.
    static func tracks(of stream: StreamDescription) -> [MP4Track] {
        var tracks: [MP4Track] = []
        if let video = stream.video, case .h264(let sequence, let picture) = video.codec {
            let configuration = AVCDecoderConfigurationRecord(sequenceParameterSet: sequence, pictureParameterSet: picture)
            tracks.append(
                MP4Track(
                    id: 1, kind: .video(video, configuration: configuration), source: .screen, timescale: 90_000,
                    mayReorder: SequenceParameterSet(nalUnit: sequence)?.mayReorder ?? true, isEnabled: true))
        }
        let hasMixed = stream.audio.contains { $0.track == .mixed }
        for audio in stream.audio where audio.format.sampleRate > 0 {
            tracks.append(
                MP4Track(
                    id: UInt32(tracks.count + 1), kind: .audio(audio), source: audio.track, timescale: UInt32(clamping: audio.format.sampleRate),
                    mayReorder: false, isEnabled: !hasMixed || audio.track == .mixed))
        }
        return tracks
    }
}

/// One sample of a track, in ticks of its timescale.
struct MP4Sample: Sendable {
    /// On the session's timeline: negative for an encoder's priming and for reordered video.
    let decodeTime: Int64
    /// Presentation less decode time.
    let compositionOffset: Int32
    let isSync: Bool
    let data: [UInt8]

    var presentationTime: Int64 { decodeTime + Int64(compositionOffset) }
}
