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
}
