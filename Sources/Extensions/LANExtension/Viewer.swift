import Concurrency
import NIOCore
import NIOWebSocket
import PageRequests

/// One viewer: what goes to its WebSocket (RFC 6455) and comes from there, and its queue. Everything happens on its
/// event loop.
final class Viewer: ChannelInboundHandler {
    typealias InboundIn = PageInput
    typealias OutboundOut = WebSocketFrame

    /// A page sends a message each second, but not while it is hidden for long. After this long without one, its
    /// browser is asked for a sign.
    private static let silence = TimeAmount.seconds(5)
    /// Without a sign for this long after that, it is gone.
    private static let patience = TimeAmount.seconds(5)
    /// The time for the last messages to a viewer who reads nothing.
    private static let closingTime = TimeAmount.seconds(2)

    /// Names this socket in the page's offer of WebRTC, so that its viewer is counted once.
    let id = AccessToken.random()
    private let audience: Audience
    private let media: SocketMedia
    private var queue: ViewerQueue
    private var context: ChannelHandlerContext?
    private var watchdog: Scheduled<Void>?

    init(audience: Audience, media: SocketMedia) {
        (self.audience, self.media) = (audience, media)
        queue = ViewerQueue(withSound: media == .picturesAndSound)
    }

    /// True if the viewer cannot go on without a keyframe.
    var needsKeyframe: Bool { media != .none && queue.needsKeyframe }

    /// Returns true if a keyframe is to be requested for this viewer now.
    func takesRequest(at now: ContinuousClock.Instant) -> Bool { media != .none && queue.takesRequest(at: now) }

    // MARK: To the page

    /// Describes a stream. The queue of an earlier one is discarded.
    func begin(_ stream: LiveStream) {
        queue = ViewerQueue(withSound: media == .picturesAndSound)
        tell(stream.description.json)
        guard media != .none else { return }
        write(stream.initialization())
        context?.flush()
    }

    func start(with group: [LiveFragment], at now: ContinuousClock.Instant) {
        queue.start(with: group, at: now)
        drain()
    }

    func send(_ fragment: LiveFragment, at now: ContinuousClock.Instant) {
        guard media != .none else { return }
        queue.add(fragment, at: now)
        drain()
    }

    func tell(_ text: String) {
        guard let context else { return }
        let frame = WebSocketFrame(fin: true, opcode: .text, data: context.channel.allocator.buffer(string: text))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    /// Closes the connection after what was written. Nil if it is closed already.
    @discardableResult
    func close(_ code: WebSocketErrorCode) -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        self.context = nil
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closingTime) { context.close(promise: nil) }
        var data = context.channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        return context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().flatMap { context.close() }.nonisolated()
    }

    /// Writes while the socket accepts data. The rest stays in the queue, where it can be discarded.
    private func drain() {
        guard let context else { return }
        while context.channel.isWritable, let fragment = queue.next() {
            write(fragment)
            // What TLS has not encrypted yet does not count for the socket.
            context.flush()
        }
    }

    private func write(_ fragment: LiveFragment) {
        guard let context else { return }
        let frame = WebSocketFrame(
            fin: true, opcode: .binary, data: context.channel.allocator.buffer(bytes: fragment.message))
        context.write(wrapOutboundOut(frame), promise: nil)
    }

    // MARK: From the page

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        watch()
        audience.join(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .message(let message):
            watch()
            if let ping = message.ping {
                tell(PageNotice.pong(ping, clock: Double(SessionClock.monotonic()) / 1_000_000).json)
            }
            if message.request == "keyframe" { audience.requestKeyframe() }
        case .pong: watch()
        case .end(let code): close(code)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drain()
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        watchdog?.cancel()
        audience.leave(self)
        context.fireChannelInactive()
    }

    private func watch() {
        watchdog?.cancel()
        watchdog = context?.eventLoop.assumeIsolated().scheduleTask(in: Self.silence) { [weak self] in self?.ask() }
    }

    /// Browsers answer a ping themselves (RFC 6455, section 5.5.2).
    private func ask() {
        guard let context else { return }
        let ping = WebSocketFrame(fin: true, opcode: .ping, data: context.channel.allocator.buffer(capacity: 0))
        context.writeAndFlush(wrapOutboundOut(ping), promise: nil)
        watchdog = context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
            _ = self?.close(.policyViolation)
        }
    }
}
