import NIOCore
import NIOHTTP1

/// Answers a request for the page, and closes the connection.
final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let page = String(decoding: PackageResources.page_html, as: UTF8.self)
    /// The largest offer in bytes. That of a browser has 6 kB.
    private static let maximumOffer = 32 << 10

    private let rules: RequestRules
    private let limit: RequestLimit
    private let viewers: RTCViewers
    private var answer = RequestRules.Answer.notFound
    private var host = ""
    private var offer: [UInt8] = []

    /// - Parameters:
    ///   - limit: of the request.
    ///   - viewers: take offers.
    init(rules: RequestRules, limit: RequestLimit, viewers: RTCViewers) {
        (self.rules, self.limit, self.viewers) = (rules, limit, viewers)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = rules.answer(to: head)
            host = head.headers.first(name: "host") ?? ""
            if case .offer = answer { limit.allowBody(byteCount: Self.maximumOffer) }
        case .body(let bytes):
            // No other request that is answered has a body.
            guard case .offer = answer, offer.count + bytes.readableBytes <= Self.maximumOffer else {
                answer = .notFound
                return
            }
            offer += bytes.readableBytesView
        case .end: respond(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func respond(_ context: ChannelHandlerContext) {
        var headers = HTTPHeaders([
            ("Connection", "close"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
        ])
        var body = ByteBuffer()
        let status: HTTPResponseStatus
        switch answer {
        case .page:
            status = .ok
            let nonce = AccessToken.random()
            body = context.channel.allocator.buffer(string: Self.page.replacing("NONCE", with: nonce))
            headers.add(name: "Content-Type", value: "text/html; charset=utf-8")
            // 'self' does not include WebSocket in every browser. The host is one of the rules' hosts.
            headers.add(
                name: "Content-Security-Policy",
                value: "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; media-src blob:; "
                    + "connect-src 'self' \(rules.isEncrypted ? "wss" : "ws")://\(host); base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors \(rules.embedders.isEmpty ? "'none'" : rules.embedders.joined(separator: " "))")
        case .redirect(let path):
            status = .permanentRedirect
            headers.add(name: "Location", value: path)
        case .offer(let socket):
            do throws(RTCViewers.Refusal) {
                let session = try viewers.open(String(decoding: offer, as: UTF8.self), socket: socket)
                status = .created
                body = context.channel.allocator.buffer(string: session.answer)
                headers.add(name: "Content-Type", value: "application/sdp")
                headers.add(name: "Location", value: "/\(rules.token)/whep/\(session.id)")
                if let first = session.firstTimestamp { headers.add(name: "RTP-Origin", value: String(first)) }
            } catch {
                switch error {
                case .full, .notReady:
                    status = .serviceUnavailable
                    headers.add(name: "Retry-After", value: "5")
                case .unusable(let reason):
                    status = .notAcceptable
                    body = context.channel.allocator.buffer(string: "The offer cannot be used: \(reason).\n")
                    headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
                }
            }
        case .endOfSession(let id): status = viewers.close(id) ? .ok : .notFound
        case .socket, .notFound: status = .notFound
        }
        headers.add(name: "Content-Length", value: String(body.readableBytes))
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
