/// Writes bits and Exp-Golomb codes, most significant first (Rec. ITU-T H.264, 7.2, 9.1).
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    /// Bits in the last byte; 0 where the bytes are full.
    private var used = 0

    var isByteAligned: Bool { used == 0 }

    mutating func bit(_ value: UInt32) {
        if used == 0 { bytes.append(0) }
        if value & 1 == 1 { bytes[bytes.count - 1] |= 0x80 >> UInt8(used) }
        used = (used + 1) & 7
    }

    /// u(n).
    mutating func bits(_ value: UInt32, count: Int) {
        for index in stride(from: count - 1, through: 0, by: -1) { bit(value >> UInt32(index)) }
    }

    /// ue(v).
    mutating func unsignedExpGolomb(_ value: UInt32) {
        let code = value + 1
        let length = 32 - code.leadingZeroBitCount
        bits(0, count: length - 1)
        bits(code, count: length)
    }

    mutating func append(contentsOf other: [UInt8]) {
        precondition(isByteAligned)
        bytes.append(contentsOf: other)
    }
}
