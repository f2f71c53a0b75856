/// Writes bits, most significant bit first, and Exp-Golomb codes (Rec. ITU-T H.264, 7.2 and 9.1).
///
/// For the payload of a NAL unit, pass `bytes` to `EmulationPrevention.insert(into:)`.
package struct BitWriter: Sendable {
    /// Everything written so far. Unused low bits of the last byte are zero.
    package private(set) var bytes: [UInt8] = []
    /// The number of bits used in the last byte; 0 if all bytes are full.
    private var used = 0

    /// A writer that has written nothing.
    package init() {}

    /// True if the next bit starts a new byte.
    package var isByteAligned: Bool { used == 0 }

    /// The number of bits written so far.
    package var position: Int { bytes.count * 8 - (used == 0 ? 0 : 8 - used) }

    /// Writes one bit, u(1): 1 for true.
    package mutating func flag(_ value: Bool) {
        if used == 0 { bytes.append(0) }
        if value { bytes[bytes.count - 1] |= 0x80 >> UInt8(used) }
        used = (used + 1) & 7
    }

    /// Writes the low `count` bits of `value`, u(n). `count` must be from 0 to 32.
    package mutating func bits(_ value: UInt32, count: Int) {
        for index in stride(from: count - 1, through: 0, by: -1) { flag(value >> UInt32(index) & 1 == 1) }
    }

    /// Writes ue(v). `value` must be less than 2³² - 1.
    package mutating func unsignedExpGolomb(_ value: UInt32) {
        precondition(value < .max, "ue(v) ends at 2³² - 2")
        let code = value + 1
        let length = 32 - code.leadingZeroBitCount
        bits(0, count: length - 1)
        bits(code, count: length)
    }

    /// Writes se(v) (9.1.1). `value` must be greater than -2³¹.
    package mutating func signedExpGolomb(_ value: Int32) {
        unsignedExpGolomb(value > 0 ? 2 * UInt32(value) - 1 : 2 * value.magnitude)
    }

    /// Writes the bits at the positions `range` of `other`, which must be in it. The writer can be at any position.
    package mutating func append(_ range: Range<Int>, of other: [UInt8]) {
        bytes.reserveCapacity(bytes.count + range.count / 8 + 2)
        var position = range.lowerBound
        while position < range.upperBound {
            let shift = UInt8(position & 7)
            let index = position >> 3
            if used == 0, range.upperBound - position >= 8 {
                bytes.append(shift == 0 ? other[index] : other[index] << shift | other[index + 1] >> (8 - shift))
                position += 8
            } else {
                flag(other[index] << shift & 0x80 != 0)
                position += 1
            }
        }
    }

    /// Writes whole bytes. The writer must be byte-aligned.
    package mutating func append(contentsOf other: some Sequence<UInt8>) {
        precondition(isByteAligned, "whole bytes start at a byte boundary")
        bytes.append(contentsOf: other)
    }
}
