import CommandModels
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한", 2), ("ｗ", 2), ("😀", 2), ("🇫🇷", 2), ("…", 1),
        ("●", 1),
    ])
    func `Wide characters have two columns and combining marks have none`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢", 5, "漢字…"), ("漢字漢", 4, "漢…"), ("abc", 1, "…"),
        ("abc", 0, ""),
        ("a\u{1b}b\n", 4, "a?b?"),
    ])
    func `Text that does not fit is cut between characters`(text: String, columns: Int, fitting: String) {
        #expect(DisplayWidth.fit(text, columns) == fitting)
    }

    @Test func `Padding fills up to the column`() {
        #expect(DisplayWidth.pad("漢字漢", 4) == "漢… ")
        #expect(DisplayWidth.pad("ab", 4) == "ab  ")
    }

    @Test(arguments: [
        ("plain ä漢", "plain ä漢"), ("a\u{1b}[2Jb", "a?[2Jb"), ("a\u{2028}b\u{202e}c", "a?b?c"), ("👩‍👩‍👧", "👩‍👩‍👧"),
        ("\r\n", "?"),
    ])
    func `What a terminal would take for a command is shown as a question mark`(text: String, shown: String) {
        #expect(DisplayWidth.printable(text) == shown)
    }

    @Test func `Nothing has no width`() {
        #expect(DisplayWidth.of("") == 0 && DisplayWidth.pad("", 0) == "" && DisplayWidth.fit("", 5) == "")
    }
}
