import NIOCore

/// Closes a connection whose request is too long or takes too long, or whose answer does, until `end`.
package final class RequestLimit: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    static let maximumByteCount = 8 << 10
    static let maximumTime = TimeAmount.seconds(10)
    /// The time for an answer. A playlist waits until there is something to play.
    static let maximumAnswerTime = TimeAmount.seconds(120)

    private let log: RefusalLog
    private var byteCount = 0
    private var allowed = maximumByteCount
    private var isOver = false
    private var deadline: Scheduled<Void>?

    package init(log: RefusalLog) {
        self.log = log
    }

    /// The request has a body, which may have some bytes.
    package func allowBody(byteCount: Int) {
        allowed += byteCount
    }

    /// The request is complete, and is answered now.
    package func answer(on context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.maximumAnswerTime) {
            context.close(promise: nil)
        }
    }

    /// The connection is one of WebSocket, which has limits of its own.
    package func end() {
        isOver = true
        deadline?.cancel()
    }

    package func channelActive(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.maximumTime) { [log] in
            log.note(.tooSlow, from: context.remoteAddress)
            context.close(promise: nil)
        }
        context.fireChannelActive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOver {
            byteCount += unwrapInboundIn(data).readableBytes
            guard byteCount <= allowed else {
                log.note(.tooLong, from: context.remoteAddress)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
