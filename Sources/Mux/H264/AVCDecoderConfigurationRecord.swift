/// What a decoder needs before the first H.264 access unit: `avcC` in MP4, the sequence header in FLV
/// (ISO/IEC 14496-15, 5.3.3.1).
package struct AVCDecoderConfigurationRecord: Sendable {
    /// The record's bytes: one sequence and one picture parameter set; NAL unit lengths are four bytes.
    package let bytes: [UInt8]

    /// NAL units with their header byte, without a start code or length.
    package init(sequenceParameterSet: [UInt8], pictureParameterSet: [UInt8]) {
        let fields = SequenceParameterSet(nalUnit: sequenceParameterSet)
        var writer = ByteWriter(capacity: sequenceParameterSet.count + pictureParameterSet.count + 15)
        writer.u8(1)
        writer.u8(fields?.profile ?? 100)
        writer.u8(fields?.compatibility ?? 0)
        writer.u8(fields?.level ?? 40)
        writer.u8(0b1111_1100 | 3)
        writer.u8(0b1110_0000 | 1)
        writer.u16(UInt16(truncatingIfNeeded: sequenceParameterSet.count))
        writer.append(sequenceParameterSet)
        writer.u8(1)
        writer.u16(UInt16(truncatingIfNeeded: pictureParameterSet.count))
        writer.append(pictureParameterSet)
        if let fields, fields.hasChromaFormat {
            writer.u8(0b1111_1100 | fields.chromaFormat)
            writer.u8(0b1111_1000 | (fields.lumaBitDepth - 8))
            writer.u8(0b1111_1000 | (fields.chromaBitDepth - 8))
            writer.u8(0)
        }
        bytes = writer.bytes
    }

    /// The first sequence and the first picture parameter set of a record, as the other initializer takes them; nil where it is cut
    /// off, has none, or has lengths of other than four bytes.
    package static func parameterSets(in record: [UInt8]) -> (sequence: [UInt8], picture: [UInt8])? {
        guard record.count > 5, record[0] == 1, record[4] & 3 == 3 else { return nil }
        var position = 5
        func first(countMask: UInt8) -> [UInt8]? {
            guard position + 3 <= record.count, record[position] & countMask > 0 else { return nil }
            let start = position + 3
            let end = start + (Int(record[position + 1]) << 8 | Int(record[position + 2]))
            guard end > start, end <= record.count else { return nil }
            position = end
            return Array(record[start..<end])
        }
        // More than one of a kind would stand between the two: nobody writes that for a broadcast.
        guard record[5] & 0x1F == 1, let sequence = first(countMask: 0x1F), let picture = first(countMask: 0xFF) else { return nil }
        return (sequence, picture)
    }
}
