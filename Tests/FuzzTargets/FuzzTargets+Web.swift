import HTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import PageRequests

/// What a browser sends to the page of the `lan` extension, and where a server of WHIP sends to.
extension FuzzTargets {
    /// What the page of the target expects in a request.
    public static let page = (host: "192.168.1.5:8330", token: "sesame-opens-this")

    /// A request that upgrades a connection of the page to WebSocket.
    public static let upgrade = Array(
        """
        GET /\(page.token)/ws?sound=1 HTTP/1.1\r\nHost: \(page.host)\r\nOrigin: http://\(page.host)\r\n\
        Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n
        """.utf8)

    /// A connection to the page, from its first byte on. Whatever is answered names this host and the secret, and comes
    /// from no other site.
    ///
    /// - Returns: how many requests and messages were accepted.
    @discardableResult
    public static func requests(_ bytes: [UInt8]) -> Int {
        let visit = Visit()
        for piece in pieces(of: bytes) { visit.send(piece) }
        return visit.end()
    }

    /// The bytes on a WebSocket of the page, after its upgrade.
    ///
    /// - Returns: how many messages were accepted.
    @discardableResult
    public static func socket(_ bytes: [UInt8]) -> Int {
        let visit = Visit()
        visit.send(upgrade[...])
        precondition(visit.isUpgraded, "a socket is refused")
        for piece in pieces(of: bytes) { visit.send(piece) }
        return visit.end() - 1
    }

    /// The address in a header Location. A session with the same server is on its host, and encrypted as it was.
    public static func location(_ bytes: [UInt8]) {
        let base = "https://a.example:8443/p/whip?x=/y"
        let url = HTTPAddress.resolve(String(decoding: bytes, as: UTF8.self), against: base)
        guard HTTPAddress.origin(of: url) == HTTPAddress.origin(of: base) else { return }
        // The token is sent there.
        precondition(HTTPAddress.host(of: url).lowercased() == "a.example", "\(url)")
        precondition(url.lowercased().hasPrefix("https://"), "\(url)")
    }

    private static func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: 61).map { bytes[$0..<min($0 + 61, bytes.count)] }
    }

    /// One connection to the page, with the handlers of a real one.
    private final class Visit {
        private let channel = EmbeddedChannel()
        private let guest: Guest
        var isUpgraded: Bool { guest.isUpgraded }

        init() {
            let rules = RequestRules(token: page.token, hosts: [page.host])
            let log = RefusalLog { precondition($0.contains("was refused"), $0) }
            let guest = Guest()
            do {
                try PageConnection.configure(
                    channel, rules, limit: RequestLimit(log: log), log: log, page: Page(rules: rules, guest: guest)
                ) { media in
                    precondition(media == .picturesAndSound || media == .pictures || media == .none)
                    guest.isUpgraded = true
                    return guest
                }
                try channel.connect(to: SocketAddress(ipAddress: "192.168.1.6", port: 40_000)).wait()
            } catch {
                preconditionFailure("\(error)")
            }
            self.guest = guest
        }

        func send(_ bytes: ArraySlice<UInt8>) {
            // An error closes the channel, and then nothing is read.
            _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
            channel.embeddedEventLoop.run()
        }

        func end() -> Int {
            _ = try? channel.finish(acceptAlreadyClosed: true)
            return guest.acceptedCount
        }
    }

    private final class Page: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart

        private let rules: RequestRules
        private let guest: Guest

        init(rules: RequestRules, guest: Guest) {
            (self.rules, self.guest) = (rules, guest)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                let answer = rules.answer(to: head)
                guard answer != .notFound else {
                    _ = rules.refusal(of: head)
                    break
                }
                guest.acceptedCount += 1
                precondition(head.headers["host"].map { $0.lowercased() } == [page.host], "a foreign host is answered")
                precondition(head.uri.hasPrefix("/" + page.token), "the secret is missing")
                switch answer {
                case .page, .redirect, .notFound: break
                case .socket: precondition(head.headers["origin"] == ["http://" + page.host], "a foreign site")
                default: precondition([[], ["http://" + page.host]].contains(head.headers["origin"]), "a foreign site")
                }
            case .body: break
            case .end: context.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private final class Guest: ChannelInboundHandler {
        typealias InboundIn = PageInput

        var isUpgraded = false { didSet { acceptedCount += 1 } }
        var acceptedCount = 0
        private var isOver = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            precondition(!isOver, "something is read after the end")
            switch unwrapInboundIn(data) {
            case .message(let message):
                acceptedCount += 1
                // It comes back as JSON, which has no other numbers.
                precondition(message.ping?.isFinite ?? true, "a ping cannot be answered")
            case .pong: break
            case .end:
                isOver = true
                context.close(promise: nil)
            }
        }
    }
}
