import Bitstream
import Media

/// Turns FLV tags with H.264 and AAC into packets (Adobe Flash Video File Format 10.1, E.4.2, E.4.3, E.5).
/// `FLVPacketizer` does the reverse.
package struct FLVPacketReader: Sendable {
    /// The tracks whose sequence headers were read so far.
    package private(set) var stream = StreamDescription(video: nil, audio: [])
    private var metadata: AMF0Value?
    private var pictureCount: UInt32 = 0
    private var soundCount: UInt32 = 0

    /// A reader before the first tag of a file.
    package init() {}

    /// Returns the packet of a tag, or nil for a sequence header, for metadata, and for a packet before the sequence
    /// header of its track.
    ///
    /// Throws `malformed` and `unsupported`; the reader must not be used afterwards.
    package mutating func packet(from tag: FLVTag) throws(FLVError) -> EncodedPacket? {
        let body = tag.body
        guard !body.isEmpty else { return nil }
        switch tag.kind {
        case .script:
            readMetadata(body)
            return nil
        case .video: return try picture(body, tag.timestamp)
        case .audio: return try sound(body, tag.timestamp)
        }
    }

    private mutating func readMetadata(_ body: [UInt8]) {
        var decoder = AMF0Decoder(body)
        // Invalid metadata is ignored: the sequence headers describe the tracks.
        guard let name = try? decoder.next(), name.stringValue == "onMetaData", let values = try? decoder.next() else {
            return
        }
        metadata = values
    }

    /// A number from the metadata, rounded, or `standard` if it is missing or not from 1 to 1,000,000.
    private func number(_ name: String, or standard: Int) -> Int {
        guard let value = metadata?[name]?.numberValue, value.isFinite, (1...1e6).contains(value) else {
            return standard
        }
        return Int(value.rounded())
    }

    private mutating func picture(_ body: [UInt8], _ timestamp: UInt32) throws(FLVError) -> EncodedPacket? {
        guard body[0] & 0x8F == 7 else { throw .unsupported(.videoCodec) }
        guard body.count >= 5 else { throw .malformed(.truncated(.videoTag)) }
        let payload = Array(body[5...])
        if body[1] == FLVTag.AVCPacketType.sequenceHeader { try configure(payload) }
        guard body[1] == FLVTag.AVCPacketType.nalUnits, stream.video != nil else { return nil }
        // 24 bits, two's complement.
        let composition = Int64(
            Int32(bitPattern: UInt32(body[2]) << 24 | UInt32(body[3]) << 16 | UInt32(body[4]) << 8) >> 8)
        defer { pictureCount &+= 1 }
        return EncodedPacket(
            track: .screen, presentationTime: MediaTime(milliseconds: Int64(timestamp) + composition),
            decodeTime: MediaTime(milliseconds: Int64(timestamp)), isKeyframe: body[0] >> 4 == 1,
            sequence: pictureCount, data: payload)
    }

    /// Reads the AVC sequence header: an AVCDecoderConfigurationRecord.
    private mutating func configure(_ bytes: [UInt8]) throws(FLVError) {
        let record: AVCDecoderConfigurationRecord
        do throws(BitstreamError) {
            record = try AVCDecoderConfigurationRecord(reading: bytes)
        } catch {
            switch error {
            case .unsupportedLengthSize: throw .unsupported(.lengthSize)
            case .unsupportedVersion(let version): throw .unsupported(.configurationVersion(Int(version)))
            case .missingParameterSet: throw .malformed(.noParameterSets)
            default: throw .malformed(.truncated(.videoConfiguration))
            }
        }
        let codec = VideoTrackFormat.Codec.h264(
            sequenceParameterSet: record.sequenceParameterSet, pictureParameterSet: record.pictureParameterSet)
        guard stream.video == nil || stream.video?.codec == codec else { throw .unsupported(.changingVideo) }
        stream.video = VideoTrackFormat(
            codec: codec, size: PixelSize(width: number("width", or: 1280), height: number("height", or: 720)),
            frameRate: number("framerate", or: 30),
            bitrate: metadata?["videodatarate"].map { _ in number("videodatarate", or: 1000) })
    }

    private mutating func sound(_ body: [UInt8], _ timestamp: UInt32) throws(FLVError) -> EncodedPacket? {
        guard body[0] >> 4 == 10 else { throw .unsupported(.audioCodec) }
        guard body.count >= 2 else { throw .malformed(.truncated(.audioTag)) }
        let payload = Array(body[2...])
        guard body[1] == FLVTag.AACPacketType.raw else {
            try configureSound(payload)
            return nil
        }
        guard !stream.audio.isEmpty else { return nil }
        defer { soundCount &+= 1 }
        let time = MediaTime(milliseconds: Int64(timestamp))
        return EncodedPacket(
            track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: soundCount,
            data: payload)
    }

    /// Reads the AAC sequence header: an AudioSpecificConfig.
    private mutating func configureSound(_ bytes: [UInt8]) throws(FLVError) {
        let configuration: AudioSpecificConfig
        do throws(BitstreamError) {
            configuration = try AudioSpecificConfig(reading: bytes)
        } catch {
            throw .malformed(error == .truncated ? .truncated(.audioConfiguration) : .invalidAudioSpecificConfig)
        }
        guard stream.audio.isEmpty || stream.audio[0].audioSpecificConfig == bytes else {
            throw .unsupported(.changingAudio)
        }
        let format = AudioFormat(sampleRate: configuration.sampleRate, channelCount: configuration.channelCount ?? 1)
        stream.audio = [
            AudioTrackFormat(
                track: .mixed, format: format, audioSpecificConfig: bytes, bitrate: number("audiodatarate", or: 128),
                priming: 0)
        ]
    }
}
