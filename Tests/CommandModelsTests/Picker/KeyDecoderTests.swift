import CommandModels
import Testing

@Suite struct KeyDecoderTests {
    private static func keys(_ text: String) -> [PickerKey] {
        var decoder = KeyDecoder()
        return decoder.decode(text.utf8) + decoder.flush()
    }

    @Test(arguments: [
        ("\u{1b}[A", PickerKey.up), ("\u{1b}OA", .up), ("\u{1b}[B", .down), ("\u{1b}OB", .down), ("\u{1b}[1;5B", .down),
        ("\u{10}", .up),
        ("\u{0e}", .down), ("\u{1b}[H", .home), ("\u{1b}[1~", .home), ("\u{1b}[7~", .home), ("\u{1b}OF", .end),
        ("\u{1b}[4~", .end),
        ("\u{1b}[5~", .pageUp), ("\u{1b}[6~", .pageDown), ("\u{1b}[6;2~", .pageDown), ("\r", .enter), ("\n", .enter),
        ("\u{1b}OM", .enter),
        ("\t", .tab), ("\u{7f}", .backspace), ("\u{8}", .backspace), ("\u{1b}", .escape), ("m", .character("m")),
        ("ß", .character("ß")),
        ("漢", .character("漢")), ("😀", .character("😀")),
    ])
    func `Each key is decoded from the sequences that terminals send`(text: String, key: PickerKey) {
        #expect(Self.keys(text) == [key])
    }

    @Test func `A sequence may arrive in pieces`() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1b]) == [])
        #expect(decoder.isPending)
        #expect(decoder.decode([0x5b]) == [])
        #expect(decoder.decode([0x42, 0x6a]) == [.down, .character("j")])
        #expect(!decoder.isPending)
        #expect(decoder.decode([0xe6, 0xbc]) == [])
        #expect(decoder.decode([0xa2]) == [.character("漢")])
    }

    @Test func `Several keys in one piece are all returned`() {
        #expect(Self.keys("\u{1b}[B\u{1b}[Bab\r") == [.down, .down, .character("a"), .character("b"), .enter])
        #expect(Self.keys("\u{1b}\u{1b}[A") == [.escape, .up])
    }

    @Test func `Unknown keys are ignored, and no part of them is treated as text`() {
        #expect(Self.keys("\u{1b}[3~\u{1b}[15~\u{1b}[Z\u{1b}[<0;12;3Mx") == [.character("x")])
        #expect(Self.keys("\u{1}\u{2}x") == [.character("x")])
    }

    @Test(
        arguments: [
            [0xff], [0xc3, 0x28], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf5, 0x80], [0x1b, 0x5b, 0xff],
            [0x1b, 0x5b] + Array(repeating: 0x31, count: 4000),
        ] as [[UInt8]])
    func `Invalid bytes cause no failure and do not affect the next key`(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        _ = decoder.decode(bytes)
        _ = decoder.flush()
        #expect(!decoder.isPending)
        #expect(decoder.decode([0x0d]) == [.enter])
    }
}
