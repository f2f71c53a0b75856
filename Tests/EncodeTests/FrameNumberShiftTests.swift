import Bitstream
import Encode
import Testing

/// A slice header is rewritten in its unit: what follows it keeps its bytes, also where the emulation prevention adds
/// or removes a byte.
struct FrameNumberShiftTests {
    /// A slice NAL unit: first_mb_in_slice, slice_type 5, pic_parameter_set_id 0, frame_num with 16 bits, and `rest`.
    private static func unit(firstMacroblock: UInt32, frameNumber: UInt32, rest: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        writer.bits(0x41, count: 8)
        writer.unsignedExpGolomb(firstMacroblock)
        writer.unsignedExpGolomb(5)
        writer.unsignedExpGolomb(0)
        writer.bits(frameNumber, count: 16)
        while !writer.isByteAligned { writer.flag(true) }
        writer.append(contentsOf: rest)
        return EmulationPrevention.insert(into: writer.bytes)
    }

    @Test(
        arguments: [
            [0x80], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 0, 3, 0, 0, 1, 9, 9, 9, 9, 9, 9, 0, 0, 3, 7], [2, 0, 0, 0x80],
            Array(repeating: 0x5A, count: 40),
        ] as [[UInt8]], [0, 1, 0x1FE0, 4079] as [UInt32])
    func `Only frame_num changes`(rest: [UInt8], firstMacroblock: UInt32) {
        for (from, shift) in [
            (0, 1), (1, 255), (255, 1), (0xFF00, 0x100), (0x00FF, 0x7F01), (0xFFFF, 1), (0x4100, 0xBF00), (7, 0x1_0000),
        ] {
            let old = Self.unit(firstMacroblock: firstMacroblock, frameNumber: UInt32(from), rest: rest)
            let new = Self.unit(
                firstMacroblock: firstMacroblock, frameNumber: UInt32(from + shift) & 0xFFFF, rest: rest)
            let before: [UInt8] = [0, 0, 0, 1]
            var data = before + old + [0, 0, 1, 0xFF]
            let growth = FrameNumberShift.apply(shift, to: &data, unit: 4..<4 + old.count, frameNumberBits: 16)
            #expect(growth == new.count - old.count)
            #expect(data == before + new + [0, 0, 1, 0xFF], "\(from) + \(shift)")
        }
    }

    @Test(arguments: [[], [0x41], [0x41, 0], [0x41, 0, 0, 3, 0, 0], [0x41, 0x9A, 0x12]] as [[UInt8]])
    func `A unit that ends in its header stays as it is`(unit: [UInt8]) {
        var data = unit
        #expect(FrameNumberShift.apply(1, to: &data, unit: 0..<unit.count, frameNumberBits: 16) == 0)
        #expect(data == unit)
    }
}
