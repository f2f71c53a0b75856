import Mux
import Testing

@Suite struct ByteWriterTests {
    @Test func `integers are written with the most significant byte first`() {
        var writer = ByteWriter()
        writer.u8(1)
        writer.u16(0x0203)
        writer.u24(0x0004_0506)
        writer.u32(0x0708_090A)
        writer.u64(0x0B0C_0D0E_0F10_1112)
        writer.i16(-2)
        writer.i32(-3)
        #expect(writer.bytes == Array(1...0x12) + [0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFD])
    }

    @Test func `a length can be overwritten later`() {
        var writer = ByteWriter(capacity: 16)
        writer.u32(0)
        writer.utf8("é")
        writer.zeros(2)
        writer.append([7])
        writer.overwriteU32(UInt32(writer.count), at: 0)
        #expect(writer.bytes == [0, 0, 0, 9, 0xC3, 0xA9, 0, 0, 7])
    }
}
