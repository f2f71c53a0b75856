/// The escaping that keeps start codes out of a NAL unit (Rec. ITU-T H.264, 7.3.1 and 7.4.1).
package enum EmulationPrevention {
    /// Returns the bytes of a NAL unit without each emulation_prevention_three_byte: a 3 that follows two zero bytes.
    package static func remove(from bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var zeros = 0
        for byte in bytes {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            result.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return result
    }

    /// Returns the beginning of a NAL unit without emulation prevention: at least `count` bytes of the payload, up to
    /// the first byte that is not 0. The escaping of the bytes after it does not depend on the beginning.
    ///
    /// - Returns: the payload, and the number of bytes of the unit that contain it. If the unit ends first, the whole
    ///   unit.
    static func beginning(of unit: ArraySlice<UInt8>, count: Int) -> (payload: [UInt8], length: Int) {
        var payload: [UInt8] = []
        var zeros = 0
        for (offset, byte) in unit.enumerated() {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            payload.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
            if payload.count >= count && byte != 0 { return (payload, offset + 1) }
        }
        return (payload, unit.count)
    }

    /// Returns the bytes of a NAL unit with a 3 before each byte of at most 3 that follows two zero bytes.
    ///
    /// The payload must end with a byte other than zero, as rbsp_trailing_bits does (7.3.2.11); the function adds no
    /// byte at the end.
    package static func insert(into bytes: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 64 + 4)
        var zeros = 0
        for byte in bytes {
            if zeros >= 2 && byte <= 3 {
                result.append(3)
                zeros = 0
            }
            result.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return result
    }
}
