import NIOCore
import NIOWebSocket

/// A message from a page on its WebSocket, or the end of it.
package enum PageInput {
    case message(PageMessage)
    /// The browser has answered a ping.
    case pong
    /// The page closes the connection, or sent what no page sends. The code is for the closing frame.
    case end(WebSocketErrorCode)
}

/// Reads the messages on the WebSocket of a page (RFC 6455), and answers its pings. Nothing is read after an `end`.
package final class PageInputReader: ChannelInboundHandler {
    package typealias InboundIn = WebSocketFrame
    package typealias InboundOut = PageInput
    package typealias OutboundOut = WebSocketFrame

    /// The largest message from a page in bytes, and how many it may send in a second.
    package static let maximumMessage = 1024
    package static let maximumRate = 20

    private let log: RefusalLog
    private var messages = (second: NIODeadline.now(), count: 0)
    private var isOver = false

    /// - Parameter log: of the guests who are refused.
    package init(log: RefusalLog) {
        self.log = log
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let frame = unwrapInboundIn(data)
        guard countsMessage() else { return refuse(.policyViolation, context) }
        switch frame.opcode {
        case .text where frame.fin:
            var bytes = frame.unmaskedData
            guard let text = bytes.readString(length: bytes.readableBytes), let message = PageMessage(text) else {
                return refuse(.protocolError, context)
            }
            context.fireChannelRead(wrapInboundOut(.message(message)))
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .pong: context.fireChannelRead(wrapInboundOut(.pong))
        case .connectionClose: end(.normalClosure, context)
        default: refuse(.unacceptableData, context)
        }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOWebSocketError { log.note(.wrongMessage, from: context.remoteAddress) }
        context.close(promise: nil)
    }

    private func refuse(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        log.note(.wrongMessage, from: context.remoteAddress)
        end(code, context)
    }

    private func end(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
        isOver = true
        context.fireChannelRead(wrapInboundOut(.end(code)))
    }

    private func countsMessage() -> Bool {
        let now = NIODeadline.now()
        if now - messages.second > .seconds(1) { messages = (now, 0) }
        messages.count += 1
        return messages.count <= Self.maximumRate
    }
}
