import Mux
import Testing

@Suite struct AMF0CoderTests {
    /// Values and their bytes, written by hand from the specification.
    private static let literals: [(value: AMF0Value, bytes: [UInt8])] = [
        (.number(1), [0x00, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]),
        (.number(-1.5), [0x00, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0]),
        (.boolean(true), [0x01, 1]),
        (.boolean(false), [0x01, 0]),
        (.string("live"), [0x02, 0, 4, 0x6C, 0x69, 0x76, 0x65]),
        (.string(""), [0x02, 0, 0]),
        (.string("é"), [0x02, 0, 2, 0xC3, 0xA9]),
        (
            .object([AMF0Property("b", .null), AMF0Property("a", .boolean(true))]),
            [0x03, 0, 1, 0x62, 0x05, 0, 1, 0x61, 0x01, 1, 0, 0, 9]
        ),
        (.object([]), [0x03, 0, 0, 9]),
        (.null, [0x05]),
        (.undefined, [0x06]),
        (
            .ecmaArray([AMF0Property("a", .number(0))]),
            [0x08, 0, 0, 0, 1, 0, 1, 0x61, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]
        ),
        (.strictArray([.null, .boolean(true)]), [0x0A, 0, 0, 0, 2, 0x05, 0x01, 1]),
        (.date(milliseconds: 1, timeZone: -60), [0x0B, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0xFF, 0xC4]),
        (.longString("ab"), [0x0C, 0, 0, 0, 2, 0x61, 0x62]),
        (.xmlDocument("<a/>"), [0x0F, 0, 0, 0, 4, 0x3C, 0x61, 0x2F, 0x3E]),
        (
            .typedObject(className: "C", properties: [AMF0Property("a", .null)]),
            [0x10, 0, 1, 0x43, 0, 1, 0x61, 0x05, 0, 0, 9]
        ),
    ]

    @Test func `each value is encoded to the bytes of the specification`() {
        for literal in Self.literals { #expect(AMF0Encoder.encode([literal.value]) == literal.bytes) }
    }

    @Test func `each value is decoded from the bytes of the specification`() throws {
        for literal in Self.literals { #expect(try AMF0Decoder.decode(literal.bytes) == [literal.value]) }
    }

    @Test func `several values are decoded in sequence`() throws {
        let values = Self.literals.map(\.value)
        #expect(try AMF0Decoder.decode(Self.literals.flatMap(\.bytes)) == values)
    }

    @Test func `a string of 65535 bytes is short and one of 65536 is long`() throws {
        let short = AMF0Encoder.encode([.string(String(repeating: "x", count: 65_535))])
        #expect(short[..<4] == [0x02, 0xFF, 0xFF, 0x78])
        let text = String(repeating: "x", count: 65_536)
        let long = AMF0Encoder.encode([.string(text)])
        #expect(long[..<6] == [0x0C, 0, 1, 0, 0, 0x78])
        #expect(try AMF0Decoder.decode(long) == [.longString(text)])
    }

    @Test func `an ECMA array ends at its end marker, whatever its count`() throws {
        let none: [UInt8] = [0x08, 0, 0, 0, 0, 0, 1, 0x61, 0x05, 0, 0, 9]
        let many: [UInt8] = [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0, 1, 0x61, 0x05, 0, 0, 9]
        for bytes in [none, many] { #expect(try AMF0Decoder.decode(bytes) == [.ecmaArray([AMF0Property("a", .null)])]) }
    }

    @Test func `properties are found by their names`() {
        let value = AMF0Value.object([
            AMF0Property("code", .string("NetStream.Publish.Start")), AMF0Property("level", .longString("status")),
        ])
        #expect(value["code"]?.stringValue == "NetStream.Publish.Start")
        #expect(value["level"]?.stringValue == "status")
        #expect(value["other"] == nil)
        #expect(AMF0Value.null["code"] == nil)
    }

    @Test func `invalid UTF-8 is repaired`() throws {
        #expect(try AMF0Decoder.decode([0x02, 0, 2, 0xFF, 0x61]) == [.string("\u{FFFD}a")])
    }
}
