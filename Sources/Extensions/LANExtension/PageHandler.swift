import NIOCore
import NIOHTTP1
import PageRequests

/// Answers a request for the page or for a part of its stream as HLS, and closes the connection.
final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let page = String(decoding: PackageResources.page_html, as: UTF8.self)
    /// The largest offer in bytes. That of a browser has 6 kB.
    private static let maximumOffer = 32 << 10

    private let rules: RequestRules
    private let limit: RequestLimit
    private let audience: Audience
    private let log: RefusalLog
    private var answer = RequestRules.Answer.notFound
    private var host = ""
    private var offer: [UInt8] = []
    private var isHead = false

    /// - Parameters:
    ///   - limit: of the request.
    ///   - audience: takes offers, and has the segments of HLS.
    ///   - log: of the guests who are refused.
    init(rules: RequestRules, limit: RequestLimit, audience: Audience, log: RefusalLog) {
        (self.rules, self.limit, self.audience, self.log) = (rules, limit, audience, log)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = rules.answer(to: head)
            if answer == .notFound, let reason = rules.refusal(of: head) {
                log.note(reason, from: context.remoteAddress)
            }
            host = head.headers.first(name: "host") ?? ""
            isHead = head.method == .HEAD
            if case .offer = answer { limit.allowBody(byteCount: Self.maximumOffer) }
        case .body(let bytes):
            // No other request that is answered has a body.
            guard case .offer = answer, offer.count + bytes.readableBytes <= Self.maximumOffer else {
                answer = .notFound
                return
            }
            offer += bytes.readableBytesView
        case .end:
            limit.answer(on: context)
            respond(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.close(promise: nil) }
        log.note(.malformed, from: context.remoteAddress)
        Self.write(.badRequest, Self.commonHeaders, ByteBuffer(), to: context)
    }

    private func respond(_ context: ChannelHandlerContext) {
        guard case .segmented(let name) = answer else { return respondAtOnce(context) }
        // The connection may be closed meanwhile.
        audience.segmented.object(named: name).assumeIsolated().whenSuccess { object in
            var headers = Self.commonHeaders
            guard let object else { return Self.write(.notFound, headers, ByteBuffer(), to: context) }
            headers.add(name: "Content-Type", value: object.contentType)
            Self.write(.ok, headers, context.channel.allocator.buffer(bytes: object.bytes), to: context)
        }
    }

    private static let commonHeaders = HTTPHeaders([
        ("Connection", "close"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    ])

    private func respondAtOnce(_ context: ChannelHandlerContext) {
        var headers = Self.commonHeaders
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
                value:
                    "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; media-src 'self' blob:; "
                    + "connect-src 'self' \(rules.isEncrypted ? "wss" : "ws")://\(host); base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors \(rules.embedders.isEmpty ? "'none'" : rules.embedders.joined(separator: " "))")
        case .redirect(let path):
            status = .permanentRedirect
            headers.add(name: "Location", value: path)
        case .offer(let socket):
            do throws(RTCViewers.Refusal) {
                let session = try audience.rtc.open(String(decoding: offer, as: UTF8.self), socket: socket)
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
        case .endOfSession(let id): status = audience.rtc.close(id) ? .ok : .notFound
        case .socket, .segmented, .notFound: status = .notFound
        }
        Self.write(status, headers, body, isHead: isHead, to: context)
    }

    /// - Parameter isHead: true if the body is left out.
    private static func write(
        _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: ByteBuffer, isHead: Bool = false,
        to context: ChannelHandlerContext
    ) {
        var headers = headers
        headers.add(name: "Content-Length", value: String(body.readableBytes))
        func part(_ part: HTTPServerResponsePart) -> NIOAny { NIOAny(part) }
        context.write(part(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
        if body.readableBytes > 0, !isHead { context.write(part(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(part(.end(nil))).assumeIsolated().whenComplete { _ in
            context.close(promise: nil)
        }
    }
}
