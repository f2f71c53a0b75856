import FuzzTargets
import Testing

/// What a browser sends, truncated at every position and with flipped bits. The targets check the results.
struct RequestCorpusTests {
    @Test(arguments: [
        "GET /\(FuzzTargets.page.token)/", "POST /\(FuzzTargets.page.token)/whep?socket=a",
        "GET /\(FuzzTargets.page.token)/live.m3u8", "DELETE /\(FuzzTargets.page.token)/whep/x",
    ])
    func `Requests are answered as the rules say, or refused`(line: String) {
        let request = Array(
            """
            \(line) HTTP/1.1\r\nHost: \(FuzzTargets.page.host)\r\nOrigin: http://\(FuzzTargets.page.host)\r\n\
            Content-Length: 3\r\n\r\nv=0
            """.utf8)
        #expect(FuzzTargets.requests(request) == 1)
        Mutations.prefixes(of: request) { FuzzTargets.requests($0) }
        Mutations.wrongBits(in: request, count: 3000) { FuzzTargets.requests($0) }
    }

    @Test func `An upgrade is accepted or refused`() {
        let message = Self.frame(.text, Array(#"{"ping":1}"#.utf8))
        #expect(FuzzTargets.requests(FuzzTargets.upgrade) == 1)
        #expect(FuzzTargets.requests(FuzzTargets.upgrade + message) == 2)
        Mutations.prefixes(of: FuzzTargets.upgrade + message) { FuzzTargets.requests($0) }
        Mutations.wrongBits(in: FuzzTargets.upgrade + message, count: 3000) { FuzzTargets.requests($0) }
    }

    @Test func `Messages of a page are read or refused`() {
        let messages = [#"{"ping":12345.678}"#, #"{"request":"keyframe"}"#, #"{"ping":1,"request":null,"x":[{}]}"#]
            .flatMap { Self.frame(.text, Array($0.utf8)) }
        #expect(FuzzTargets.socket(messages) == 3)
        // Control frames in between, then the end.
        let whole = Self.frame(.ping, [1, 2]) + messages + Self.frame(.pong, []) + Self.frame(.close, [3, 0xE8])
        #expect(FuzzTargets.socket(whole + messages) == 3)
        Mutations.prefixes(of: whole) { FuzzTargets.socket($0) }
        Mutations.wrongBits(in: whole, count: 3000) { FuzzTargets.socket($0) }
    }

    @Test func `After too many messages, and after one of another kind, nothing is read`() {
        let ping = Self.frame(.text, Array(#"{"ping":1}"#.utf8))
        let many = FuzzTargets.socket((0..<100).flatMap { _ in ping })
        // In another second, the same number again.
        #expect(many >= 20 && many <= 40)
        #expect(FuzzTargets.socket(Self.frame(.binary, [1]) + ping) == 0)
        #expect(FuzzTargets.socket(Self.frame(.text, Array("hello".utf8)) + ping) == 0)
    }

    private enum Opcode: UInt8 {
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    /// A frame of WebSocket with a mask (RFC 6455, section 5.2), of less than 126 bytes.
    private static func frame(_ opcode: Opcode, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [7, 1, 200, 3]
        return [0x80 | opcode.rawValue, 0x80 | UInt8(payload.count)] + mask
            + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
