/// Bytes under construction, integers in network order (most significant byte first) as every container here wants them.
///
/// A writer made with a capacity grows once; payloads are appended whole, so that each is copied only this one time.
package struct ByteWriter: Sendable {
    /// What was written so far.
    package var bytes: [UInt8]

    /// An empty writer with room for `capacity` bytes.
    package init(capacity: Int = 0) {
        bytes = []
        if capacity > 0 { bytes.reserveCapacity(capacity) }
    }

    /// Bytes written so far.
    package var count: Int { bytes.count }

    /// One byte.
    package mutating func u8(_ value: UInt8) {
        bytes.append(value)
    }

    /// Two bytes.
    package mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// The low 24 bits of `value`.
    package mutating func u24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    /// Four bytes.
    package mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    /// Eight bytes.
    package mutating func u64(_ value: UInt64) {
        u32(UInt32(truncatingIfNeeded: value >> 32))
        u32(UInt32(truncatingIfNeeded: value))
    }

    /// Two's complement.
    package mutating func i16(_ value: Int16) { u16(UInt16(bitPattern: value)) }
    /// Two's complement.
    package mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
    /// Two's complement.
    package mutating func i64(_ value: Int64) { u64(UInt64(bitPattern: value)) }

    /// A payload, as it stands.
    package mutating func append(_ data: [UInt8]) {
        bytes.append(contentsOf: data)
    }

    /// Part of a payload, as it stands.
    package mutating func append(_ data: ArraySlice<UInt8>) {
        bytes.append(contentsOf: data)
    }

    /// The UTF-8 bytes of `text`, without an ending zero.
    package mutating func utf8(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// `count` bytes of zero.
    package mutating func zeros(_ count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }

    /// Puts `value` over the four bytes at `offset`, which must have been written: for a length known only afterwards.
    package mutating func overwriteU32(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    }
}
