import Bitstream

/// H.264 and AAC headers from files and other programs.
extension FuzzTargets {
    /// The headers of H.264 and AAC. Each parsed value is in its range, and a written header is parsed to the same
    /// values.
    public static func bitstream(_ bytes: [UInt8]) {
        parameterSets(bytes)
        audioHeaders(bytes)
        let escaped = EmulationPrevention.insert(into: bytes)
        precondition(EmulationPrevention.remove(from: escaped) == bytes, "emulation prevention changed the payload")
        let hasStartCode = escaped.indices.dropLast(2).contains {
            escaped[$0] == 0 && escaped[$0 + 1] == 0 && escaped[$0 + 2] < 3
        }
        precondition(!hasStartCode, "a start code is left")
        var joined: [UInt8] = []
        for unit in NALUnits(lengthPrefixed: bytes) { NALUnits.appendLengthPrefixed(Array(unit), to: &joined) }
        precondition(bytes.starts(with: joined), "NAL units changed")
    }

    private static func parameterSets(_ bytes: [UInt8]) {
        if let set = SequenceParameterSet(nalUnit: bytes) {
            precondition(
                (4...16).contains(set.frameNumberBits) && set.chromaFormat <= 3 && (8...14).contains(set.lumaBitDepth))
            precondition(set.layout.map { $0.macroblockCount > 0 } ?? true)
        }
        if let set = PictureParameterSet(nalUnit: bytes) {
            precondition(
                set.identifier <= 255 && (1...8).contains(set.sliceGroupCount)
                    && (-36...51).contains(set.initialQuantizer))
        }
        if let record = try? AVCDecoderConfigurationRecord(reading: bytes) {
            precondition(
                (try? AVCDecoderConfigurationRecord(reading: record.bytes)) == record, "a configuration record changed")
        }
    }

    private static func audioHeaders(_ bytes: [UInt8]) {
        if let configuration = try? AudioSpecificConfig(reading: bytes) {
            precondition(
                (try? AudioSpecificConfig(reading: configuration.bytes)) == configuration,
                "an AudioSpecificConfig changed")
        }
        if let (header, payload) = try? ADTSHeader.read(bytes) {
            guard let written = header.bytes(payloadByteCount: payload.count), let again = try? ADTSHeader.read(written)
            else {
                preconditionFailure("an ADTS header that was read cannot be written")
            }
            precondition(again.header == header && again.payload.count == payload.count, "an ADTS header changed")
        }
    }
}
