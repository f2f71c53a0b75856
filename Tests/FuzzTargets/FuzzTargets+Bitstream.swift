import Bitstream

/// H.264 and AAC headers from files and other programs.
extension FuzzTargets {
    /// The headers of H.264 and AAC. Each parsed value is in its range, and a written header is parsed to the same
    /// values. A slice with another number is the same after it gets this number again.
    public static func bitstream(_ bytes: [UInt8]) {
        parameterSets(bytes)
        audioHeaders(bytes)
        slices(bytes)
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

    private static func slices(_ bytes: [UInt8]) {
        let number: SliceHeaderRewriter.PictureNumber = NALUnits.kind(of: bytes[...]) == 5 ? .idr(3) : .frame(5)
        for rewriter in rewriters {
            if let slice = try? rewriter.slice(bytes[...], as: number) {
                precondition((try? rewriter.slice(slice[...], as: number)) == slice, "a slice changed")
            }
            if let unit = try? rewriter.accessUnit(bytes, as: number) {
                precondition((try? rewriter.accessUnit(unit, as: number)) == unit, "an access unit changed")
            }
        }
    }

    /// For CABAC with weights, and for CAVLC.
    private static let rewriters = [[0x68, 0xEF, 0x0F, 0xCB] as [UInt8], [0x68, 0xCE, 0x0F, 0xC8]].map { picture in
        guard
            let sequence = SequenceParameterSet(
                nalUnit: [0x67, 0x64, 0x00, 0x1F, 0xAC, 0xB4, 0x02, 0x80, 0x2D, 0xD8, 0x08, 0x80]),
            let picture = PictureParameterSet(nalUnit: picture),
            let rewriter = SliceHeaderRewriter(sequence: sequence, picture: picture)
        else { preconditionFailure("the parameter sets must be valid") }
        return rewriter
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
