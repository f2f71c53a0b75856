import NIOCore
import NIOHTTP1

/// Answers a request for the page, and closes the connection.
final class PageHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let page = String(decoding: PackageResources.page_html, as: UTF8.self)

    private let rules: RequestRules
    private var answer = RequestRules.Answer.notFound
    private var host = ""

    init(rules: RequestRules) {
        self.rules = rules
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = rules.answer(to: head)
            host = head.headers.first(name: "host") ?? ""
        // No request that is answered has a body.
        case .body: answer = .notFound
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
                    + "connect-src ws://\(host); base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
        case .redirect(let path):
            status = .permanentRedirect
            headers.add(name: "Location", value: path)
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
