import FuzzTargets
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import broadcast_lan

/// What a browser sends, truncated at every position and with flipped bits.
struct RequestCorpusTests {
    private static let token = "sesame-opens-this"
    private static let rules = RequestRules(token: token, hosts: ["192.168.1.5:8330"])

    /// The heads of the requests in `bytes`, as the server's decoder gives them.
    private static func heads(of bytes: [UInt8]) -> [HTTPRequestHead] {
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(HTTPRequestDecoder()))
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        var heads: [HTTPRequestHead] = []
        while case .some(let part) = (try? channel.readInbound(as: HTTPServerRequestPart.self)) ?? nil {
            if case .head(let head) = part { heads.append(head) }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return heads
    }

    /// Whatever is answered names this host and the secret, and comes from no other site.
    private static func check(_ bytes: [UInt8]) {
        for head in heads(of: bytes) {
            let answer = rules.answer(to: head)
            guard answer != .notFound else { continue }
            #expect(head.headers["host"].map { $0.lowercased() } == ["192.168.1.5:8330"])
            #expect(head.uri.hasPrefix("/" + token))
            switch answer {
            case .page, .redirect, .notFound: break
            case .socket: #expect(head.headers["origin"] == ["http://192.168.1.5:8330"])
            default: #expect([[], ["http://192.168.1.5:8330"]].contains(head.headers["origin"]))
            }
        }
    }

    @Test(arguments: [
        "GET /\(token)/ws?sound=1", "GET /\(token)/", "POST /\(token)/whep?socket=a", "GET /\(token)/live.m3u8",
        "DELETE /\(token)/whep/x",
    ])
    func `Requests are answered as the rules say, or refused`(line: String) {
        let request = Array(
            """
            \(line) HTTP/1.1\r\nHost: 192.168.1.5:8330\r\nOrigin: http://192.168.1.5:8330\r\nUpgrade: websocket\r\n\
            Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n
            """.utf8)
        let whole = Self.heads(of: request)
        #expect(whole.count == 1 && Self.rules.answer(to: whole[0]) != .notFound)
        Mutations.prefixes(of: request, Self.check)
        Mutations.wrongBits(in: request, count: 3000, Self.check)
    }

    @Test(arguments: [#"{"ping":12345.678}"#, #"{"request":"keyframe"}"#, #"{"ping":1,"request":null,"x":[{}]}"#])
    func `Messages of a page are read or refused`(message: String) {
        #expect(PageMessage(message) != nil)
        func check(_ bytes: [UInt8]) {
            guard let read = PageMessage(String(decoding: bytes, as: UTF8.self)), let ping = read.ping else { return }
            // It comes back as JSON, which has no other numbers.
            #expect(ping.isFinite)
            #expect(PageNotice.pong(ping, clock: 0).json.contains("pong"))
        }
        Mutations.prefixes(of: Array(message.utf8), check)
        Mutations.wrongBits(in: Array(message.utf8), count: 3000, check)
    }
}
