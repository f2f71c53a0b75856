/// Numbers in network order.
extension Array where Element == UInt8 {
    package mutating func append16(_ value: some BinaryInteger) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    package mutating func append32(_ value: some BinaryInteger) {
        append16(value >> 16)
        append16(value)
    }

    package mutating func set16(_ value: some BinaryInteger, at index: Int) {
        self[index] = UInt8(truncatingIfNeeded: value >> 8)
        self[index + 1] = UInt8(truncatingIfNeeded: value)
    }

    package mutating func set32(_ value: UInt32, at index: Int) {
        set16(value >> 16, at: index)
        set16(value & 0xFFFF, at: index + 2)
    }
}

extension Collection where Element == UInt8, Index == Int {
    /// - Parameter offset: from the first byte. Two bytes follow it.
    package func number16(at offset: Int) -> UInt16 {
        UInt16(self[startIndex + offset]) << 8 | UInt16(self[startIndex + offset + 1])
    }

    /// - Parameter offset: from the first byte. Four bytes follow it.
    package func number32(at offset: Int) -> UInt32 {
        UInt32(number16(at: offset)) << 16 | UInt32(number16(at: offset + 2))
    }
}
