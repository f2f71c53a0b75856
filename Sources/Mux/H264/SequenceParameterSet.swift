/// What a container must know of a sequence parameter set (Rec. ITU-T H.264, 7.3.2.1.1).
package struct SequenceParameterSet: Sendable, Equatable {
    /// `profile_idc`: 66 is Baseline, 77 Main, 100 High, 244 High 4:4:4 Predictive.
    package let profile: UInt8
    /// The constraint_set flags, as they stand.
    package let compatibility: UInt8
    /// `level_idc`: ten times the level.
    package let level: UInt8
    /// `chroma_format_idc`: 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
    package let chromaFormat: UInt8
    /// Bits of a luma sample.
    package let lumaBitDepth: UInt8
    /// Bits of a chroma sample.
    package let chromaBitDepth: UInt8
    /// False where pictures are shown in the order in which they are decoded: `pic_order_cnt_type` 2 (8.2.1.3).
    package let mayReorder: Bool

    /// The profiles that say their chroma format and bit depth (7.3.2.1.1); all others are 4:2:0 with 8 bits.
    package var hasChromaFormat: Bool { Self.profilesWithChromaFormat.contains(profile) }

    private static let profilesWithChromaFormat: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// Reads a NAL unit with its header byte; nil where it is too short.
    package init?(nalUnit: [UInt8]) {
        guard nalUnit.count >= 5 else { return nil }
        profile = nalUnit[1]
        compatibility = nalUnit[2]
        level = nalUnit[3]
        var bits = ExponentialGolombReader(bytes: Self.unescaped(nalUnit[4...]))
        guard bits.unsigned() != nil else { return nil }
        var fields: (chroma: UInt32, luma: UInt32, chromaDepth: UInt32) = (1, 0, 0)
        var hasScalingMatrix = false
        if Self.profilesWithChromaFormat.contains(nalUnit[1]) {
            guard let chroma = bits.unsigned(), chroma <= 3 else { return nil }
            if chroma == 3 { guard bits.bit() != nil else { return nil } }
            guard let luma = bits.unsigned(), let chromaDepth = bits.unsigned(), luma <= 6, chromaDepth <= 6 else { return nil }
            guard bits.bit() != nil, let scaling = bits.bit() else { return nil }
            fields = (chroma, luma, chromaDepth)
            hasScalingMatrix = scaling == 1
        }
        if hasScalingMatrix {
            // The order type stands behind the matrices, which nobody needs here.
            mayReorder = true
        } else {
            guard bits.unsigned() != nil, let orderType = bits.unsigned() else { return nil }
            mayReorder = orderType != 2
        }
        chromaFormat = UInt8(fields.chroma)
        lumaBitDepth = UInt8(8 + fields.luma)
        chromaBitDepth = UInt8(8 + fields.chromaDepth)
    }

    /// The first bytes without `emulation_prevention_three_byte` (7.4.1); the fields read here end long before 32 bytes.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var zeros = 0
        for byte in bytes.prefix(32) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        return result
    }
}

/// Reads bits and `ue(v)` values (Rec. ITU-T H.264, 9.1), first bit first.
struct ExponentialGolombReader {
    private let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next bit; nil at the end.
    mutating func bit() -> UInt32? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return UInt32(bytes[position / 8] >> UInt8(7 - position % 8)) & 1
    }

    /// An unsigned Exp-Golomb value; nil at the end or past 2^31.
    mutating func unsigned() -> UInt32? {
        var zeros = 0
        while true {
            guard let next = bit(), zeros < 31 else { return nil }
            if next == 1 { break }
            zeros += 1
        }
        var suffix: UInt32 = 0
        for _ in 0..<zeros {
            guard let next = bit() else { return nil }
            suffix = suffix << 1 | next
        }
        return (UInt32(1) << UInt32(zeros)) - 1 + suffix
    }
}
