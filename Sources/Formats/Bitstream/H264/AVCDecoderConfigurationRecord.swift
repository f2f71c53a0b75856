/// The parameter sets that an H.264 decoder needs before the first access unit: `avcC` in MP4, the AVC sequence header
/// in FLV (ISO/IEC 14496-15, 5.3.3.1).
///
/// A record that is written has one set of each kind and announces NAL unit lengths of four bytes.
package struct AVCDecoderConfigurationRecord: Equatable, Sendable {
    /// A NAL unit with its header byte, without a start code or length.
    package let sequenceParameterSet: [UInt8]
    /// A NAL unit with its header byte, without a start code or length.
    package let pictureParameterSet: [UInt8]

    /// A record of NAL units with their header byte, without a start code or length, of at most 65,535 bytes each.
    package init(sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8]) {
        self.sequenceParameterSet = sequenceParameterSet
        self.pictureParameterSet = pictureParameterSet
    }

    /// Reads the first sequence and the first picture parameter set of a record. The fields after the parameter sets
    /// are ignored.
    ///
    /// Throws `unsupportedVersion`, `unsupportedLengthSize`, `missingParameterSet` if the first set of a kind is
    /// missing or empty, and `truncated`.
    package init(reading bytes: [UInt8]) throws(BitstreamError) {
        var reader = BitReader(bytes)
        let version = UInt8(try reader.bits(8))
        guard version == 1 else { throw .unsupportedVersion(version) }
        _ = try reader.bits(24)  // AVCProfileIndication, profile_compatibility, AVCLevelIndication
        let lengthSize = Int(try reader.bits(8) & 3) + 1
        guard lengthSize == 4 else { throw .unsupportedLengthSize(lengthSize) }
        sequenceParameterSet = try Self.firstSet(countMask: 0x1F, &reader)
        pictureParameterSet = try Self.firstSet(countMask: 0xFF, &reader)
    }

    /// The bytes of the record. If the sequence parameter set cannot be read, the record announces High profile at
    /// level 4.
    package var bytes: [UInt8] {
        let fields = SequenceParameterSet(nalUnit: sequenceParameterSet)
        var writer = BitWriter()
        writer.bits(1, count: 8)  // configurationVersion
        writer.bits(UInt32(fields?.profile ?? 100), count: 8)
        writer.bits(UInt32(fields?.compatibility ?? 0), count: 8)
        writer.bits(UInt32(fields?.level ?? 40), count: 8)
        writer.bits(0b111111_11, count: 8)  // lengthSizeMinusOne: 3
        Self.append(sequenceParameterSet, countByte: 0b111_00001, to: &writer)
        Self.append(pictureParameterSet, countByte: 1, to: &writer)
        if let fields, fields.hasChromaFormat {
            writer.bits(0b111111, count: 6)
            writer.bits(UInt32(fields.chromaFormat), count: 2)
            writer.bits(0b11111, count: 5)
            writer.bits(UInt32(fields.lumaBitDepth - 8), count: 3)
            writer.bits(0b11111, count: 5)
            writer.bits(UInt32(fields.chromaBitDepth - 8), count: 3)
            writer.bits(0, count: 8)  // numOfSequenceParameterSetExt
        }
        return writer.bytes
    }

    /// Reads the sets of one kind, after their count, and returns the first.
    private static func firstSet(countMask: UInt32, _ reader: inout BitReader) throws(BitstreamError) -> [UInt8] {
        var first: [UInt8] = []
        for index in 0..<(try reader.bits(8) & countMask) {
            let set = try reader.bytes(Int(try reader.bits(16)))
            if index == 0 { first = set }
        }
        guard !first.isEmpty else { throw .missingParameterSet }
        return first
    }

    private static func append(_ set: [UInt8], countByte: UInt32, to writer: inout BitWriter) {
        writer.bits(countByte, count: 8)
        let unit = set.prefix(Int(UInt16.max))
        writer.bits(UInt32(unit.count), count: 16)
        writer.append(contentsOf: unit)
    }
}
