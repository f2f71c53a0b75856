import Bitstream
import Testing

@Suite struct BitReaderTests {
    @Test func `bits are read most significant first, across bytes`() throws {
        var reader = BitReader([0b1010_0000, 0b0101_1111, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try reader.flag())
        #expect(try reader.bits(3) == 0b010)
        #expect(try reader.bits(0) == 0)
        #expect(try reader.bits(8) == 0b0000_0101)
        #expect(reader.position == 12 && reader.remainingBitCount == 36)
        #expect(try reader.bits(32) == .max)
    }

    // Rec. ITU-T H.264, table 9-2 and table 9-3.
    @Test(
        arguments: [
            ([0b1000_0000], 0, 0), ([0b0100_0000], 1, 1), ([0b0110_0000], 2, -1), ([0b0010_0000], 3, 2),
            ([0b0010_1000], 4, -2),
            ([0b0011_0000], 5, 3), ([0b0011_1000], 6, -3), ([0b0001_0000], 7, 4), ([0b0001_0100], 9, 5),
        ] as [([UInt8], UInt32, Int32)])
    func `Exp-Golomb codes match the specification`(bytes: [UInt8], unsigned: UInt32, signed: Int32) throws {
        var reader = BitReader(bytes)
        #expect(try reader.unsignedExpGolomb() == unsigned)
        reader = BitReader(bytes)
        #expect(try reader.signedExpGolomb() == signed)
    }

    @Test(arguments: [0, 1, 2, 254, 255, 256, 65_535, 1 << 30, (1 << 31) - 1, 1 << 31, .max - 1] as [UInt32])
    func `a written unsigned code is read unchanged`(value: UInt32) throws {
        var writer = BitWriter()
        writer.unsignedExpGolomb(value)
        var reader = BitReader(writer.bytes)
        #expect(try reader.unsignedExpGolomb() == value)
    }

    @Test(arguments: [0, 1, -1, 2, -2, 127, -128, .max - 1, .max, -.max] as [Int32])
    func `a written signed code is read unchanged`(value: Int32) throws {
        var writer = BitWriter()
        writer.signedExpGolomb(value)
        var reader = BitReader(writer.bytes)
        #expect(try reader.signedExpGolomb() == value)
    }

    @Test func `reading past the end is an error`() {
        var reader = BitReader([0xFF])
        #expect(throws: BitstreamError.truncated) { try reader.bits(9) }
        reader = BitReader([])
        #expect(throws: BitstreamError.truncated) { try reader.flag() }
        reader = BitReader([0b0001_0000])
        #expect(throws: BitstreamError.truncated) { for _ in 0..<2 { _ = try reader.unsignedExpGolomb() } }
        reader = BitReader([1, 2])
        #expect(throws: BitstreamError.truncated) { try reader.bytes(3) }
    }

    @Test func `a code with 32 leading zeros is an error`() {
        var reader = BitReader([0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: BitstreamError.invalidExpGolombCode) { try reader.unsignedExpGolomb() }
    }

    @Test func `whole bytes are read after whole bytes`() throws {
        var reader = BitReader([1, 2, 3, 4])
        #expect(try reader.bits(8) == 1)
        #expect(try reader.bytes(2) == [2, 3])
        #expect(try reader.bits(8) == 4)
    }
}
