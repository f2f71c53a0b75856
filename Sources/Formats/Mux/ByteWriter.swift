/// Builds a byte array. Integers are in network order (most significant byte first).
///
/// With a sufficient initial capacity it allocates once and copies each payload once.
package struct ByteWriter: Sendable {
    /// The bytes written so far.
    package var bytes: [UInt8]

    /// Creates an empty writer with `capacity` reserved bytes.
    package init(capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// The number of bytes written so far.
    package var count: Int { bytes.count }

    /// Writes one byte.
    package mutating func u8(_ value: UInt8) {
        bytes.append(value)
    }

    /// Writes two bytes.
    package mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Writes the low 24 bits of `value`.
    package mutating func u24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    /// Writes four bytes.
    package mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    /// Writes eight bytes.
    package mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value >> 32))
        u32(UInt32(truncatingIfNeeded: value))
    }

    /// Writes two's complement.
    package mutating func i16(_ value: Int16) { u16(UInt16(bitPattern: value)) }
    /// Writes two's complement.
    package mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
    /// Writes two's complement.
    package mutating func i64(_ value: Int64) { u64(UInt64(bitPattern: value)) }

    /// Writes a payload unchanged.
    package mutating func append(_ data: [UInt8]) {
        bytes.append(contentsOf: data)
    }

    /// Writes a part of a payload unchanged.
    package mutating func append(_ data: ArraySlice<UInt8>) {
        bytes.append(contentsOf: data)
    }

    /// Writes the UTF-8 bytes of `text` without a terminating zero.
    package mutating func utf8(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes `count` zero bytes.
    package mutating func zeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Overwrites the four bytes at `offset`, which must exist, with `value`. For a length that is known only later.
    package mutating func overwriteU32(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    }
}
