import Media
import Testing

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("plain-1._~", "plain-1._~"), ("a b", "a%20b"), ("100%", "100%25"),
        ("p@ss:/word", "p%40ss%3A%2Fword"), ("é…", "%C3%A9%E2%80%A6"),
        ("%41", "%2541"), ("\n\0", "%0A%00"),
    ])
    func `text is encoded and decoded`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decodedText(encoded) == text)
    }

    @Test func `digits are read in upper and lower case`() {
        #expect(PercentEncoding.decode("%2f%2F%fF") == [0x2F, 0x2F, 0xFF])
    }

    @Test(arguments: ["%", "%4", "%4g", "%g4", "%+1", "%-1", "% 1", "a%", "%%"])
    func `a percent sign without two digits is taken literally`(text: String) {
        #expect(PercentEncoding.decodedText(text) == text)
    }

    @Test func `invalid UTF-8 is rejected`() {
        #expect(PercentEncoding.decode("a%FF") == [0x61, 0xFF])
        #expect(PercentEncoding.decodedText("a%FF") == nil)
    }

    @Test func `the caller chooses which characters are literal`() {
        #expect(
            PercentEncoding.encode("a/b%~", except: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") })
                == "%61/%62%25%7E")
        #expect(PercentEncoding.encode("é", except: { _ in true }) == "%C3%A9")
    }

    @Test func `every byte survives a round trip`() {
        let text = String(String.UnicodeScalarView((0..<0x250).compactMap { Unicode.Scalar($0) }))
        #expect(PercentEncoding.decodedText(PercentEncoding.encode(text)) == text)
    }
}
