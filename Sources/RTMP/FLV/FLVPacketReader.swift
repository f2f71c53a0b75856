import Media
import Mux

/// Makes packets of FLV tags: H.264 and AAC, the opposite of `FLVPacketizer` (Adobe Flash Video File Format 10.1, E.4.2, E.4.3, E.5).
package struct FLVPacketReader: Sendable {
    /// What is known of the stream so far: of each track, once its sequence header has come.
    package private(set) var stream = StreamDescription(video: nil, audio: [])
    private var metadata: AMF0Value?
    private var pictureCount: UInt32 = 0
    private var soundCount: UInt32 = 0

    package init() {}

    /// The tag's packet; nil for headers and metadata, and for what comes before its track's header.
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
        // What is no metadata, or broken, says nothing: the sequence headers are what counts.
        guard let name = try? decoder.next(), name.stringValue == "onMetaData", let values = try? decoder.next() else { return }
        metadata = values
    }

    /// A whole positive number of the metadata, or what is usual.
    private func number(_ name: String, or standard: Int) -> Int {
        guard let value = metadata?[name]?.numberValue, value.isFinite, (1...1e6).contains(value) else { return standard }
        return Int(value.rounded())
    }

    private mutating func picture(_ body: [UInt8], _ timestamp: UInt32) throws(FLVError) -> EncodedPacket? {
        guard body[0] & 0x8F == 7 else { throw .unsupported("its video is not H.264") }
        guard body.count >= 5 else { throw .malformed("a video tag is cut short") }
        let payload = Array(body[5...])
        if body[1] == 0 { try configure(payload) }
        guard body[1] == 1, stream.video != nil else { return nil }
        // 24 bits, two's complement.
        let composition = Int64(Int32(bitPattern: UInt32(body[2]) << 24 | UInt32(body[3]) << 16 | UInt32(body[4]) << 8) >> 8)
        defer { pictureCount &+= 1 }
        return EncodedPacket(
            track: .screen, presentationTime: MediaTime(milliseconds: Int64(timestamp) + composition),
            decodeTime: MediaTime(milliseconds: Int64(timestamp)), isKeyframe: body[0] >> 4 == 1, sequence: pictureCount, data: payload)
    }

    /// An AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    private mutating func configure(_ record: [UInt8]) throws(FLVError) {
        guard record.count >= 6, record[4] & 3 == 3 else { throw .unsupported("its H.264 has NAL unit lengths other than four bytes") }
        var rest = record[5...]
        let sequence = try parameterSet(&rest, countMask: 0x1F)
        let picture = try parameterSet(&rest, countMask: 0xFF)
        let codec = VideoTrackFormat.Codec.h264(sequenceParameterSet: sequence, pictureParameterSet: picture)
        guard stream.video == nil || stream.video?.codec == codec else { throw .unsupported("its video changes on the way") }
        stream.video = VideoTrackFormat(
            codec: codec, size: PixelSize(width: number("width", or: 1280), height: number("height", or: 720)),
            frameRate: number("framerate", or: 30), bitrate: metadata?["videodatarate"].map { _ in number("videodatarate", or: 1000) })
    }

    /// The first of the parameter sets that are counted at the front of `bytes`, which are taken off it.
    private func parameterSet(_ bytes: inout ArraySlice<UInt8>, countMask: UInt8) throws(FLVError) -> [UInt8] {
        var sets: [[UInt8]] = []
        for _ in 0..<((bytes.popFirst() ?? 0) & countMask) {
            guard let high = bytes.popFirst(), let low = bytes.popFirst(), bytes.count >= Int(high) << 8 | Int(low) else {
                throw .malformed("a parameter set is cut short")
            }
            let length = Int(high) << 8 | Int(low)
            sets.append(Array(bytes.prefix(length)))
            bytes = bytes.dropFirst(length)
        }
        guard let first = sets.first, !first.isEmpty else { throw .malformed("it has no parameter sets") }
        return first
    }

    private mutating func sound(_ body: [UInt8], _ timestamp: UInt32) throws(FLVError) -> EncodedPacket? {
        guard body[0] >> 4 == 10 else { throw .unsupported("its sound is not AAC") }
        guard body.count >= 2 else { throw .malformed("an audio tag is cut short") }
        let payload = Array(body[2...])
        guard body[1] == 1 else {
            try configureSound(payload)
            return nil
        }
        guard !stream.audio.isEmpty else { return nil }
        defer { soundCount &+= 1 }
        let time = MediaTime(milliseconds: Int64(timestamp))
        return EncodedPacket(track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: soundCount, data: payload)
    }

    /// Sample rates by their index (ISO/IEC 14496-3, 1.6.3.4).
    private static let sampleRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350]

    /// An AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    private mutating func configureSound(_ configuration: [UInt8]) throws(FLVError) {
        guard configuration.count >= 2 else { throw .malformed("its AudioSpecificConfig is cut short") }
        guard stream.audio.isEmpty || stream.audio[0].audioSpecificConfig == configuration else { throw .unsupported("its sound changes on the way") }
        let index = Int(configuration[0] & 7) << 1 | Int(configuration[1] >> 7)
        let format = AudioFormat(
            sampleRate: Self.sampleRates.indices.contains(index) ? Self.sampleRates[index] : 48_000,
            channelCount: max(1, Int(configuration[1] >> 3 & 0xF)))
        stream.audio = [
            AudioTrackFormat(
                track: .mixed, format: format, audioSpecificConfig: configuration, bitrate: number("audiodatarate", or: 128), priming: 0)
        ]
    }
}
