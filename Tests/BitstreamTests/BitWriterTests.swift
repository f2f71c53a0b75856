import Bitstream
import Testing

@Suite struct BitWriterTests {
    @Test func `bits are written most significant first, and the rest of the last byte is zero`() {
        var writer = BitWriter()
        #expect(writer.isByteAligned)
        writer.flag(true)
        writer.bits(0b010, count: 3)
        writer.bits(0xFFFF_FF05, count: 8)
        #expect(writer.bytes == [0b1010_0000, 0b0101_0000] && !writer.isByteAligned)
        writer.bits(0, count: 4)
        #expect(writer.isByteAligned)
        writer.append(contentsOf: [7, 8])
        writer.bits(.max, count: 32)
        #expect(writer.bytes == [0b1010_0000, 0b0101_0000, 7, 8, 0xFF, 0xFF, 0xFF, 0xFF])
    }

    @Test func `the shortest codes match the specification`() {
        var writer = BitWriter()
        for value: UInt32 in [0, 1, 2, 3] { writer.unsignedExpGolomb(value) }
        // 1 010 011 00100
        #expect(writer.bytes == [0b1010_0110, 0b0100_0000])
    }

    @Test func `a range of bits is written at any position`() {
        let other: [UInt8] = [0b1010_0110, 0b0111_1001, 0xC3, 0x5A, 0x0F]
        func bit(_ position: Int) -> Bool { other[position / 8] >> UInt8(7 - position % 8) & 1 == 1 }
        for used in 0..<9 {
            for start in 0..<20 {
                for end in start...40 {
                    var writer = BitWriter()
                    writer.bits(0x155, count: used)
                    var expected = writer
                    writer.append(start..<end, of: other)
                    for position in start..<end { expected.flag(bit(position)) }
                    #expect(writer.bytes == expected.bytes && writer.position == used + end - start)
                }
            }
        }
    }
}
