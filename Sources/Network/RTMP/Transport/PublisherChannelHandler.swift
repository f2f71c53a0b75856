import Media
import NIOCore
import NIOTLS
import TLS

/// Connects the state machine to a channel. Use it only on the channel's event loop.
final class PublisherChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let counters: RTMPCounters
    /// The way to continue if the server rejected `connect`, otherwise nil.
    private(set) var rejection: ConnectRejection?
    private var machine: PublisherStateMachine
    private let deadlines: RTMPDeadlines
    private let host: String
    /// True until the TLS handshake is complete. No RTMP bytes are sent before.
    private var isSecuring: Bool
    private var context: ChannelHandlerContext?
    private var waiters: PublisherWaiters
    private var deadline: Scheduled<Void>?
    private var progress = SendProgress()
    private var replies = ReplyLimit()
    private var received = ReceiveLimit()
    /// True when all bytes, including the end of the stream, were passed to the system.
    private var isDelivered = false
    /// The result of the connection, or nil while it is open.
    private var ending: Result<Void, RTMPError>?

    /// - Parameter url: the server's URL. If its scheme is `rtmps`, a TLS handler precedes this handler.
    init(
        machine: PublisherStateMachine, url: RTMPURL, deadlines: RTMPDeadlines, counters: RTMPCounters,
        window: SendWindow
    ) {
        self.machine = machine
        host = url.host
        isSecuring = url.scheme == .rtmps
        self.deadlines = deadlines
        self.counters = counters
        waiters = PublisherWaiters(window: window)
    }

    // MARK: Calls from the publisher

    /// Completes `waiter` when the server accepts the stream.
    func waitUntilLive(_ waiter: PublisherWaiter) {
        add(waiter, for: .live)
    }

    /// Completes `waiter` with success when the connection is closed.
    func waitUntilClosed(_ waiter: PublisherWaiter) {
        add(waiter, for: .closed)
    }

    /// The reason why the connection is closed. Nil after a requested end, or while the connection is open.
    var failure: RTMPError? {
        if case .failure(let error) = ending { error } else { nil }
    }

    /// Writes the packet when the channel is writable, and completes `waiter` when the channel can accept another
    /// packet.
    func send(_ packet: EncodedPacket, _ waiter: PublisherWaiter) {
        add(waiter, for: .room(toSend: packet))
    }

    /// Writes a packet that entered the window, when the channel is writable.
    func post(_ packet: EncodedPacket) {
        waiters.post(packet)
        serveRoom()
    }

    func update(_ stream: StreamDescription, _ waiter: PublisherWaiter) {
        writePosted()
        if ending == nil { write(machine.update(stream)) }
        add(waiter, for: .room(toSend: nil))
    }

    /// Sends the waiting packets and the end of the stream, then waits until the server closes the connection.
    /// Completes `waiter` when the connection is closed.
    func finish(deadline: Duration, _ waiter: PublisherWaiter) {
        add(waiter, for: .closed)
        guard let context, waiters.beginFinishing() else { return }
        writePosted()
        schedule(deadline, .finishing)
        let limit = ContinuousClock.now + deadline
        write(machine.finish())?.assumeIsolated().whenSuccess {
            self.isDelivered = true
            self.schedule(min(self.deadlines.closing, ContinuousClock.now.duration(to: limit)), .finishing)
            // Closing both sides would discard bytes that the server has not read.
            context.close(mode: .output, promise: nil)
        }
    }

    /// Closes the connection immediately.
    func abort(_ error: RTMPError) {
        end(.failure(error))
    }

    /// Completes the waiter with `cancelled`.
    func cancel(_ waiter: PublisherWaiter.ID) {
        waiters.answer(.failure(.cancelled)) { $0.waiter.id == waiter }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard ending == nil else { return context.close(promise: nil) }
        guard !isSecuring else { return schedule(deadlines.duration(of: .securing), .securing) }
        perform(machine.start())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isSecuring, case .handshakeCompleted = event as? TLSUserEvent, ending == nil {
            isSecuring = false
            perform(machine.start())
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(.failure(.closed(during: step)))
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard ending == nil else { return }
        let bytes = unwrapInboundIn(data)
        guard received.allows(bytes.readableBytes, at: .now) else {
            return end(.failure(.protocolViolation(.tooManyBytes)))
        }
        perform(machine.receive(bytes.readableBytesView.withUnsafeBytes { Array($0) }[...]))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isSecuring { perform(machine.receiveEnd()) }
        end(.failure(.closed(during: step)))
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        countBytes()
        waiters.isWritable = context.channel.isWritable
        if context.channel.isWritable {
            replies.reset()
            serveRoom()
        } else {
            progress.begin(sent: counters.sent.load(ordering: .relaxed), now: .now())
            watchProgress()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After the end of the stream was sent, an error on close is not a failure.
        guard !isDelivered else { return end(.success(())) }
        if isSecuring, let problem = error as? TLSProblem {
            return end(.failure(.insecure(host: host, problem)))
        }
        end(.failure(.breaking(error, during: step)))
    }

    private var step: RTMPStep { isSecuring ? .securing : machine.step }

    // MARK: Actions of the state machine

    private func perform(_ actions: [PublisherAction]) {
        for action in actions where ending == nil {
            switch action {
            case .send(let bytes): reply(bytes)
            case .entered(let step): schedule(deadlines.duration(of: step), step)
            case .publishing: waiters.becomeLive()
            case .acknowledged(let count): counters.acknowledged.store(count, ordering: .relaxed)
            case .reconnectRequested(let request): counters.request(request)
            case .rejected(let rejection): self.rejection = rejection
            case .finished: end(isDelivered ? .success(()) : .failure(.closed(during: .finishing)))
            case .failed(let error): end(.failure(error))
            }
        }
    }

    /// Sends an answer. Ends the connection if too many bytes of answers wait.
    private func reply(_ bytes: [UInt8]) {
        guard context?.channel.isWritable != false || replies.allows(bytes.count) else {
            return end(.failure(.protocolViolation(.answersNotRead)))
        }
        write(bytes)
    }

    /// Returns a future that completes when the last byte was passed to the system, or nil if there is nothing to write
    /// or no channel.
    @discardableResult
    private func write(_ bytes: [UInt8]) -> EventLoopFuture<Void>? {
        guard let context, !bytes.isEmpty else { return nil }
        progress.enqueued += UInt64(bytes.count)
        let written = context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)))
        written.assumeIsolated().whenComplete { _ in self.countBytes() }
        return written
    }

    private func add(_ waiter: PublisherWaiter, for need: PublisherWaiters.Need) {
        waiters.add(waiter, for: need)
        if waiters.isLive { serveRoom() }
    }

    /// Writes the waiting packets in order while the channel is writable.
    private func serveRoom() {
        while ending == nil, let context, context.channel.isWritable, let packet = waiters.takeRoom() {
            if let packet { write(machine.send(packet)) }
        }
    }

    /// Writes the packets for which no task waits, whether or not the channel is writable.
    private func writePosted() {
        while let packet = waiters.takePosted() { write(machine.send(packet)) }
    }

    private func end(_ result: Result<Void, RTMPError>) {
        guard ending == nil else { return }
        ending = result
        deadline?.cancel()
        countBytes()
        waiters.end(result)
        context?.close(promise: nil)
    }

    // MARK: Deadlines

    private func schedule(_ duration: Duration?, _ step: RTMPStep) {
        deadline?.cancel()
        guard let duration, let context else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.end(.failure(.timedOut(step)))
        }
    }

    /// While the channel is not writable, checks eight times within the deadline, and at least five times a second,
    /// whether bytes are still being sent. The end of a broadcast looks at the counters after 800 ms.
    private func watchProgress() {
        guard ending == nil, let context, !context.channel.isWritable, progress.startWatching() else { return }
        context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(min(deadlines.sendProgress / 8, .milliseconds(200)))
        ) {
            self.progress.stopWatching()
            self.countBytes()
            let sent = self.counters.sent.load(ordering: .relaxed)
            if self.progress.hasStalled(sent: sent, now: .now(), deadline: TimeAmount(self.deadlines.sendProgress)) {
                self.end(.failure(.timedOut(.sending)))
            } else {
                self.watchProgress()
            }
        }
    }

    /// Updates the counters. Bytes that the channel still holds do not count as sent, and a large packet is sent in
    /// parts.
    private func countBytes() {
        guard let context, context.channel.isActive,
            let queued = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return }
        counters.queued.store(UInt64(max(0, queued)), ordering: .relaxed)
        counters.sent.store(progress.enqueued - min(progress.enqueued, UInt64(max(0, queued))), ordering: .relaxed)
    }
}
