import Bitstream

/// Adds to the frame_num of x264's slices the number of repeat pictures between them, of which x264 does not know (Rec.
/// ITU-T H.264, 7.3.3 and 7.4.3).
enum FrameNumberShift {
    /// Returns the slice NAL unit with `shift` added to its frame_num, modulo 2 to the power of `frameNumberBits`.
    ///
    /// frame_num has a fixed width, so that only the emulation prevention can change the length of the unit. A unit
    /// that ends before its frame_num is returned unchanged.
    static func apply(_ shift: Int, to unit: ArraySlice<UInt8>, frameNumberBits: Int) -> [UInt8] {
        var payload = EmulationPrevention.remove(from: unit)
        // The header byte, three Exp-Golomb codes of at most 35, 7 and 17 bits, and frame_num fit into 11 bytes.
        var reader = BitReader(Array(payload.prefix(12)))
        guard let (position, frameNumber) = try? frameNumber(&reader, bitCount: frameNumberBits) else {
            return Array(unit)
        }
        let value = (Int(frameNumber) + shift) & ((1 << frameNumberBits) - 1)
        for index in 0..<frameNumberBits {
            let bit = position + index
            let mask = UInt8(0x80) >> UInt8(bit & 7)
            if value >> (frameNumberBits - 1 - index) & 1 == 1 {
                payload[bit >> 3] |= mask
            } else {
                payload[bit >> 3] &= ~mask
            }
        }
        return EmulationPrevention.insert(into: payload)
    }

    /// Reads a slice NAL unit up to its frame_num; `position` is the field's first bit.
    private static func frameNumber(
        _ reader: inout BitReader, bitCount: Int
    ) throws(BitstreamError) -> (position: Int, value: UInt32) {
        _ = try reader.bits(8)  // NAL unit header
        _ = try reader.unsignedExpGolomb()  // first_mb_in_slice
        _ = try reader.unsignedExpGolomb()  // slice_type
        _ = try reader.unsignedExpGolomb()  // pic_parameter_set_id
        return (reader.position, try reader.bits(bitCount))
    }
}
