/// Moves the frame_num of x264's slices on by the repeat pictures that were put between them, of which x264 does not know
/// (Rec. ITU-T H.264, 7.3.3 and 7.4.3).
enum FrameNumberShift {
    /// The NAL unit with `shift` added to its frame_num, modulo 2 to the `frameNumberBits`.
    ///
    /// frame_num has a fixed width, so the slice keeps its length but for the escaping around it.
    static func apply(_ shift: Int, to unit: ArraySlice<UInt8>, frameNumberBits: Int) -> [UInt8] {
        // first_mb_in_slice, slice_type and pic_parameter_set_id come before it: 14 bytes hold them all.
        var payload = EmulationPrevention.remove(from: unit)
        var reader = BitReader(Array(payload.dropFirst().prefix(20)))
        for _ in 0..<3 { _ = reader.unsignedExpGolomb() }
        let position = 8 + reader.position
        let value = (Int(reader.bits(frameNumberBits)) + shift) & ((1 << frameNumberBits) - 1)
        for index in 0..<frameNumberBits {
            let bit = position + index
            guard bit >> 3 < payload.count else { break }
            let mask = UInt8(0x80) >> UInt8(bit & 7)
            if value >> (frameNumberBits - 1 - index) & 1 == 1 { payload[bit >> 3] |= mask } else { payload[bit >> 3] &= ~mask }
        }
        return EmulationPrevention.insert(into: payload)
    }
}
