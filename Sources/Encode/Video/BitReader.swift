/// Reads bits and Exp-Golomb codes from the payload of a NAL unit without emulation prevention (Rec. ITU-T H.264, 7.2, 9.1).
struct BitReader {
    private let bytes: [UInt8]
    /// Bits read so far.
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next bit; zero past the end.
    mutating func bit() -> UInt32 {
        defer { position += 1 }
        let byte = position >> 3
        return byte < bytes.count ? UInt32(bytes[byte] >> (7 - UInt8(position & 7))) & 1 : 0
    }

    /// u(n).
    mutating func bits(_ count: Int) -> UInt32 {
        (0..<count).reduce(0) { value, _ in value << 1 | bit() }
    }

    /// ue(v); zero where the code is longer than any that means something.
    mutating func unsignedExpGolomb() -> UInt32 {
        var zeros = 0
        while bit() == 0 {
            zeros += 1
            if zeros > 31 { return 0 }
        }
        return (1 << UInt32(zeros)) - 1 + bits(zeros)
    }

    /// se(v).
    mutating func signedExpGolomb() -> Int32 {
        let code = Int32(unsignedExpGolomb())
        return code & 1 == 1 ? (code + 1) / 2 : -code / 2
    }
}
