import Bitstream

/// Adds to the frame_num of x264's slices the number of repeat pictures between them, of which x264 does not know (Rec.
/// ITU-T H.264, 7.3.3 and 7.4.3).
package enum FrameNumberShift {
    /// Adds `shift` to the frame_num of the slice NAL unit at `unit` in `data`, modulo 2 to the power of
    /// `frameNumberBits`.
    ///
    /// Only the slice header is read and written: frame_num has a fixed width, so that nothing after it changes. The
    /// emulation prevention can change the length of the unit by some bytes. A unit that ends before its frame_num
    /// stays unchanged.
    ///
    /// - Returns: the number of bytes by which the unit is longer than before.
    package static func apply(_ shift: Int, to data: inout [UInt8], unit: Range<Int>, frameNumberBits: Int) -> Int {
        // The header byte, three Exp-Golomb codes of at most 35, 7 and 17 bits, and frame_num fit into 11 bytes.
        guard let (length, header) = header(of: data[unit]) else { return 0 }
        var payload = header
        var reader = BitReader(payload)
        guard let (position, frameNumber) = try? frameNumber(&reader, bitCount: frameNumberBits) else { return 0 }
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
        let escaped = EmulationPrevention.insert(into: payload)
        data.replaceSubrange(unit.lowerBound..<unit.lowerBound + length, with: escaped)
        return escaped.count - length
    }

    /// Returns the first bytes of a slice NAL unit without emulation prevention, and their number in the unit: at least
    /// 12 bytes, up to the first byte after them that is not 0. The escaping of later bytes does not depend on bytes
    /// before that one.
    private static func header(of unit: ArraySlice<UInt8>) -> (length: Int, payload: [UInt8])? {
        var payload: [UInt8] = []
        var zeros = 0
        for index in unit.indices {
            let byte = unit[index]
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            payload.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
            if payload.count >= 12 && byte != 0 { return (index + 1 - unit.startIndex, payload) }
        }
        return payload.isEmpty ? nil : (unit.count, payload)
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
