/// The escaping that keeps start codes out of a NAL unit (Rec. ITU-T H.264, 7.4.1).
enum EmulationPrevention {
    /// The payload without its emulation_prevention_three_bytes.
    static func remove(from bytes: some Collection<UInt8>) -> [UInt8] {
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

    /// The payload with a 3 before every byte of at most 3 that follows two zeros.
    static func insert(into bytes: some Collection<UInt8>) -> [UInt8] {
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
