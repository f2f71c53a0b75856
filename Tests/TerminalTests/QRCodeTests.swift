import Terminal
import Testing

struct QRCodeTests {
    private static let address = "http://192.168.1.5:8330/mZk0vJTGzwBwEMpc0JOoFn/"

    @Test func `A large window gets modules of two columns, a smaller one half blocks, and a small one nothing`() throws
    {
        let code = try #require(QRCode(Self.address))
        // Version 3 has 29 modules, and four of quiet zone on each side.
        let full = try #require(code.lines(columns: 80, rows: 40))
        #expect(full.count == 37 && full.allSatisfy { $0.count(of: "m  ") == 37 && $0.hasSuffix("\u{1b}[0m") })
        let half = try #require(code.lines(columns: 80, rows: 24))
        #expect(half.count == 19 && half.allSatisfy { $0.count(of: "▄") == 37 })
        #expect(code.lines(columns: 36, rows: 24) == nil && code.lines(columns: 80, rows: 18) == nil)
        #expect(code.lines(columns: 80, rows: 24, hasUnicode: false) == nil)
    }

    @Test func `Each colour is named, and the quiet zone is white`() throws {
        let code = try #require(QRCode(Self.address))
        let full = try #require(code.lines(columns: 200, rows: 200))
        for line in full.prefix(4) + full.suffix(4) { #expect(line.count(of: "48;5;231m") == 37) }
        #expect(full[4].hasPrefix(String(repeating: "\u{1b}[48;5;231m  ", count: 4) + "\u{1b}[48;5;16m  "))
    }

    @Test func `A text that no code can hold has none`() {
        #expect(QRCode(String(repeating: "x", count: 5000)) == nil)
        #expect(QRCode("") == nil)
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}
