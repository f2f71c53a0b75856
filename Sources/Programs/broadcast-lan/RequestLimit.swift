import NIOCore

/// Closes a connection whose request is too long or takes too long, until `end`.
final class RequestLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    static let maximumByteCount = 8 << 10
    static let maximumTime = TimeAmount.seconds(10)

    private let log: RefusalLog
    private var byteCount = 0
    private var allowed = maximumByteCount
    private var isOver = false
    private var deadline: Scheduled<Void>?

    init(log: RefusalLog) {
        self.log = log
    }

    /// The request has a body, which may have some bytes.
    func allowBody(byteCount: Int) {
        allowed += byteCount
    }

    /// The request is complete: WebSocket has limits of its own.
    func end() {
        isOver = true
        deadline?.cancel()
    }

    func channelActive(context: ChannelHandlerContext) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.maximumTime) { [log] in
            log.note(.tooSlow, from: context.remoteAddress)
            context.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isOver {
            byteCount += unwrapInboundIn(data).readableBytes
            guard byteCount <= allowed else {
                log.note(.tooLong, from: context.remoteAddress)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
