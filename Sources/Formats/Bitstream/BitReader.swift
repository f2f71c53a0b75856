/// Reads bits, most significant bit first, and Exp-Golomb codes (Rec. ITU-T H.264, 7.2 and 9.1).
///
/// For the payload of a NAL unit, call `EmulationPrevention.remove(from:)` first. After an error the position is
/// unspecified.
package struct BitReader: Sendable {
    private let bytes: [UInt8]
    /// The number of bits read so far.
    package private(set) var position = 0

    /// A reader at the first bit of `bytes`.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The number of bits that are left.
    package var remainingBitCount: Int { bytes.count * 8 - position }

    /// Reads one bit, u(1), as a flag.
    package mutating func flag() throws(BitstreamError) -> Bool {
        guard remainingBitCount > 0 else { throw .truncated }
        defer { position += 1 }
        return bytes[position >> 3] >> UInt8(7 - position & 7) & 1 == 1
    }

    /// Reads an unsigned integer of `count` bits, u(n). `count` must be from 0 to 32.
    package mutating func bits(_ count: Int) throws(BitstreamError) -> UInt32 {
        guard remainingBitCount >= count else { throw .truncated }
        var value: UInt32 = 0
        for _ in 0..<count { value = value << 1 | (try flag() ? 1 : 0) }
        return value
    }

    /// Reads ue(v): an unsigned integer from 0 to 2³² - 2.
    package mutating func unsignedExpGolomb() throws(BitstreamError) -> UInt32 {
        var zeros = 0
        while try !flag() {
            zeros += 1
            guard zeros < 32 else { throw .invalidExpGolombCode }
        }
        return (1 << UInt32(zeros)) - 1 + (try bits(zeros))
    }

    /// Reads se(v): a signed integer from -(2³¹ - 1) to 2³¹ - 1 (9.1.1).
    package mutating func signedExpGolomb() throws(BitstreamError) -> Int32 {
        let code = try unsignedExpGolomb()
        return code & 1 == 1 ? Int32(code / 2) + 1 : -Int32(code / 2)
    }

    /// Reads `count` whole bytes. The position must be a multiple of 8 bits.
    package mutating func bytes(_ count: Int) throws(BitstreamError) -> [UInt8] {
        precondition(position & 7 == 0, "whole bytes start at a byte boundary")
        guard remainingBitCount >= count * 8 else { throw .truncated }
        defer { position += count * 8 }
        return Array(bytes[position >> 3..<position >> 3 + count])
    }
}
