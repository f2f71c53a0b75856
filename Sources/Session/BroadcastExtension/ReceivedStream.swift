import Bitstream
import Media

/// The description of a broadcast from the host, collected until its packets can be muxed. The `hls` and `srt`
/// extensions use `h264-avcc` and `aac-raw`, whose payloads are those of Media's packets.
package struct ReceivedStream: Sendable {
    private let tracks: [ControlEvent.Track]
    private let title: String?
    private var configurations: [UInt8: [UInt8]] = [:]

    /// Starts with the tracks from the host's `started` call.
    package init(_ start: BroadcastStart) {
        tracks = start.tracks
        title = start.title
    }

    /// Adds the codec configuration from the host's `configured` call.
    package mutating func configure(_ track: Track, data: [UInt8]) {
        configurations[track.rawValue] = data
    }

    /// The stream; nil until every track has a codec configuration, and if one cannot be parsed.
    package var description: StreamDescription? {
        var stream = StreamDescription(video: nil, audio: [], title: title)
        for track in tracks {
            guard let source = Track(rawValue: track.id), let configuration = configurations[track.id] else {
                return nil
            }
            if source == .screen {
                guard let record = try? AVCDecoderConfigurationRecord(reading: configuration) else { return nil }
                stream.video = VideoTrackFormat(
                    codec: .h264(
                        sequenceParameterSet: record.sequenceParameterSet,
                        pictureParameterSet: record.pictureParameterSet),
                    size: PixelSize(width: track.width ?? 0, height: track.height ?? 0), frameRate: track.fps ?? 30)
            } else {
                stream.audio.append(
                    AudioTrackFormat(
                        track: source,
                        format: AudioFormat(sampleRate: track.sampleRate ?? 48_000, channelCount: track.channels ?? 2),
                        audioSpecificConfig: configuration, bitrate: 0, priming: 0))
            }
        }
        return stream
    }
}

extension BroadcastStart {
    /// The format of the sound, for extensions that take it as PCM; nil without sound.
    package var sound: AudioFormat? {
        tracks.first { $0.id != Track.screen.rawValue }.map {
            AudioFormat(sampleRate: $0.sampleRate ?? 48_000, channelCount: $0.channels ?? 2)
        }
    }
}

extension BroadcastSample {
    /// Returns the sample as a packet of Media.
    package var packet: EncodedPacket {
        EncodedPacket(
            track: track, presentationTime: presentationTime, decodeTime: decodeTime, isKeyframe: isKeyframe,
            isDiscontinuity: hasGapBefore,
            sequence: sequence, data: data)
    }
}
