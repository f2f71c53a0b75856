import Bitstream
import BroadcastExtension
import Media
import Mux

/// Converts packets to the payloads that a manifest asks for.
struct SamplePacketizer {
    /// The description of the tracks for the `start` event.
    private(set) var tracks: [ControlEvent.Track] = []
    /// The decoder configuration of each track.
    private(set) var configurations: [(track: Track, data: [UInt8])] = []
    private var annexB: AnnexBMuxer?
    private var headers: [Track: ADTSHeader] = [:]

    /// Empty until a stream is set.
    init() {}

    init(_ stream: StreamDescription, video: ExtensionManifest.Video, audio: ExtensionManifest.Audio) {
        if let format = stream.video, video != .none {
            tracks.append(
                ControlEvent.Track(
                    name: Track.screen.name, id: Track.screen.rawValue, format: video.rawValue,
                    width: format.size.width, height: format.size.height,
                    fps: format.frameRate))
            if case .h264(let sequence, let picture) = format.codec {
                if video == .annexB {
                    var muxer = AnnexBMuxer()
                    _ = muxer.begin(stream)
                    annexB = muxer
                    configurations.append((.screen, NALUnits.startCode + sequence + NALUnits.startCode + picture))
                } else {
                    let record = AVCDecoderConfigurationRecord(
                        sequenceParameterSet: sequence, pictureParameterSet: picture)
                    configurations.append((.screen, record.bytes))
                }
            }
        }
        for format in stream.audio where audio != .none {
            tracks.append(
                ControlEvent.Track(
                    name: format.track.name, id: format.track.rawValue, format: audio.rawValue,
                    sampleRate: format.format.sampleRate,
                    channels: format.format.channelCount))
            // Linear PCM needs no configuration: the event contains its rate and channels.
            if audio != .s16le {
                configurations.append(
                    (format.track, audio == .opus ? OpusIdentification(format).bytes : format.audioSpecificConfig))
            }
            if audio == .adts { headers[format.track] = ADTSHeader(format) }
        }
    }

    /// Returns the sample's bytes; nil if the extension does not receive the track.
    mutating func payload(of packet: EncodedPacket) -> [UInt8]? {
        guard tracks.contains(where: { $0.id == packet.track.rawValue }) else { return nil }
        if packet.track == .screen { return annexB == nil ? packet.data : annexB?.append(packet) }
        guard let header = headers[packet.track] else { return packet.data }
        return header.bytes(payloadByteCount: packet.data.count).map { $0 + packet.data }
    }
}
