import NIOCore
import NIOSOCKS

/// The client of a SOCKS 5 proxy that requires a user name and a password (RFC 1928, RFC 1929). NIOSOCKS supports only
/// proxies without them.
///
/// It fires `SOCKSProxyEstablishedEvent` when the tunnel is open, as NIO's handler does. Until then, it passes
/// no received bytes to later handlers.
final class SOCKSPasswordHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The answer of the proxy that is expected next.
    private enum State {
        case method
        case authentication
        case connection
        case open
        case failed
    }

    private let host: String
    private let port: Int
    private let credentials: ProxyTunnel.Credentials
    private var state = State.method
    private var received = ByteBuffer()

    /// - Parameter host: a name of 1 to 255 bytes.
    init(host: String, port: Int, credentials: ProxyTunnel.Credentials) {
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Version 5, one method: user name and password.
        send([5, 1, 2], context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        guard state != .open else { return context.fireChannelRead(data) }
        received.writeBuffer(&part)
        while advance(context) {}
    }

    /// Processes one answer. Returns false if it is not complete, or if nothing more is expected.
    private func advance(_ context: ChannelHandlerContext) -> Bool {
        switch state {
        case .method:
            guard let answer = received.readBytes(length: 2) else { return false }
            guard answer[0] == 5 else { return fail(.notSOCKS5, context) }
            guard answer[1] == 2 else { return fail(.credentialsNotSupported, context) }
            let (user, password) = (Array(credentials.user.utf8), Array(credentials.password.utf8))
            guard (1...255).contains(user.count), password.count <= 255 else {
                return fail(.credentialsTooLong, context)
            }
            state = .authentication
            send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password, context)
        case .authentication:
            guard let answer = received.readBytes(length: 2) else { return false }
            guard answer[1] == 0 else { return fail(.wrongCredentials, context) }
            let name = Array(host.utf8)
            state = .connection
            // Version 5, CONNECT, a domain name.
            send([5, 1, 0, 3, UInt8(name.count)] + name + [UInt8(port >> 8), UInt8(port & 0xff)], context)
        case .connection:
            guard let length = replyLength, let reply = received.readBytes(length: length) else { return false }
            guard reply[1] == 0 else { return fail(.refused(reply: reply[1]), context) }
            state = .open
            context.fireUserInboundEventTriggered(SOCKSProxyEstablishedEvent())
            if received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(received)) }
            return false
        case .open, .failed: return false
        }
        return true
    }

    /// The length of the reply, which depends on its address; nil until that is known.
    private var replyLength: Int? {
        guard let start = received.getBytes(at: received.readerIndex, length: 5) else { return nil }
        switch start[3] {
        case 1: return 4 + 4 + 2
        case 4: return 4 + 16 + 2
        default: return 4 + 1 + Int(start[4]) + 2
        }
    }

    private func fail(_ problem: ProxyProblem, _ context: ChannelHandlerContext) -> Bool {
        state = .failed
        context.fireErrorCaught(problem)
        return false
    }

    private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
    }
}
