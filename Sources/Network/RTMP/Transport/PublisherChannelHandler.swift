import Media
import NIOCore
import NIOSSL
import NIOTLS
import TLS

/// Connects the state machine to a channel. Use it only on the channel's event loop.
final class PublisherChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let counters: RTMPCounters
    /// The way to continue if the server rejected `connect`, otherwise nil.
    var rejection: ConnectRejection? { if case .rejected(let rejection, _) = machine.ending { rejection } else { nil } }
    private var machine: PublisherStateMachine
    private let deadlines: RTMPDeadlines
    private let host: String
    private var context: ChannelHandlerContext?
    private var waiters: PublisherWaiters
    private var deadline: Scheduled<Void>?
    /// When the end of the stream must be complete.
    private var limit = ContinuousClock.now
    private var progress = SendProgress()
    private var replies = ReplyLimit()
    private var received = ReceiveLimit()

    /// - Parameter url: the server's URL. If its scheme is `rtmps`, a TLS handler precedes this handler.
    init(
        machine: PublisherStateMachine, url: RTMPURL, deadlines: RTMPDeadlines, counters: RTMPCounters,
        window: SendWindow
    ) {
        self.machine = machine
        host = url.host
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
    var failure: RTMPError? { machine.ending?.error }

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
        perform(machine.update(stream))
        add(waiter, for: .room(toSend: nil))
    }

    /// Sends the waiting packets and the end of the stream, then waits until the server closes the connection.
    /// Completes `waiter` when the connection is closed.
    func finish(deadline: Duration, _ waiter: PublisherWaiter) {
        add(waiter, for: .closed)
        guard waiters.beginFinishing() else { return }
        writePosted()
        limit = ContinuousClock.now + deadline
        perform(machine.finish())
    }

    /// Closes the connection immediately.
    func abort(_ error: RTMPError) {
        perform(machine.fail(error))
    }

    /// Completes the waiter with `cancelled`.
    func cancel(_ waiter: PublisherWaiter.ID) {
        waiters.answer(.failure(.cancelled)) { $0.waiter.id == waiter }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        guard machine.ending == nil else { return context.close(promise: nil) }
        perform(machine.start())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if machine.step == .securing, case .handshakeCompleted = event as? TLSUserEvent {
            let certificate = (try? context.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil
            if let problem = TLSTrust.problem(of: certificate, host: host) {
                return perform(machine.fail(.insecure(host: host, problem)))
            }
            perform(machine.secured())
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        perform(machine.fail(.closed(during: machine.step)))
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard machine.ending == nil else { return }
        let bytes = unwrapInboundIn(data)
        guard received.allows(bytes.readableBytes, at: .now) else {
            return perform(machine.fail(.protocolViolation(.tooManyBytes)))
        }
        machine.append(bytes)
        var action = machine.next()
        while action != .wait {
            perform(action)
            action = machine.next()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        perform(machine.receiveEnd())
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
        let isSecuring = machine.step == .securing
        let certificate = isSecuring ? (try? context.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil : nil
        if isSecuring, let problem = TLSProblem(error, certificate: certificate) {
            return perform(machine.fail(.insecure(host: host, problem)))
        }
        perform(machine.lose(.breaking(error, during: machine.step)))
    }

    // MARK: Actions of the state machine

    private func perform(_ action: PublisherStateMachine.Action) {
        switch action {
        case .wait, .reject: break
        case .send(let bytes): reply(bytes)
        case .enter(let step, let bytes):
            reply(bytes)
            if machine.ending == nil { schedule(deadlines.duration(of: step), step) }
        case .startPublishing(let bytes):
            reply(bytes)
            deadline?.cancel()
            if machine.ending == nil { waiters.becomeLive() }
        case .reportAcknowledged(let count): counters.acknowledged.store(count, ordering: .relaxed)
        case .reportReconnectRequest(let request): counters.request(request)
        case .finish(let bytes):
            schedule(ContinuousClock.now.duration(to: limit), .finishing)
            write(bytes)?.assumeIsolated().whenSuccess { self.perform(self.machine.delivered()) }
        case .closeOutput:
            schedule(min(deadlines.closing, ContinuousClock.now.duration(to: limit)), .finishing)
            // Closing both sides would discard bytes that the server has not read.
            context?.close(mode: .output, promise: nil)
        case .close(let ending): end(ending)
        }
    }

    /// Sends an answer. Ends the connection if too many bytes of answers wait.
    private func reply(_ bytes: ByteBuffer) {
        guard context?.channel.isWritable != false || replies.allows(bytes.readableBytes) else {
            return perform(machine.fail(.protocolViolation(.answersNotRead)))
        }
        write(bytes)
    }

    /// Returns a future that completes when the last byte was passed to the system, or nil if there is nothing to write
    /// or no channel.
    @discardableResult
    private func write(_ bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        guard let context, bytes.readableBytes > 0 else { return nil }
        progress.enqueued += UInt64(bytes.readableBytes)
        let written = context.writeAndFlush(wrapOutboundOut(bytes))
        written.assumeIsolated().whenComplete { _ in self.countBytes() }
        return written
    }

    private func write(_ packet: EncodedPacket) {
        if case .send(let bytes) = machine.send(packet) { write(bytes) }
    }

    private func add(_ waiter: PublisherWaiter, for need: PublisherWaiters.Need) {
        waiters.add(waiter, for: need)
        if waiters.isLive { serveRoom() }
    }

    /// Writes the waiting packets in order while the channel is writable.
    private func serveRoom() {
        while machine.ending == nil, let context, context.channel.isWritable, let packet = waiters.takeRoom() {
            if let packet { write(packet) }
        }
    }

    /// Writes the packets for which no task waits, whether or not the channel is writable.
    private func writePosted() {
        while let packet = waiters.takePosted() { write(packet) }
    }

    private func end(_ ending: PublisherStateMachine.Ending) {
        deadline?.cancel()
        countBytes()
        waiters.end(ending.error.map { .failure($0) } ?? .success(()))
        context?.close(promise: nil)
    }

    // MARK: Deadlines

    private func schedule(_ duration: Duration?, _ step: RTMPStep) {
        deadline?.cancel()
        guard let duration, let context else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.perform(self.machine.fail(.timedOut(step)))
        }
    }

    /// While the channel is not writable, checks eight times within the deadline, and at least five times a second,
    /// whether bytes are still being sent. The end of a broadcast looks at the counters after 800 ms.
    private func watchProgress() {
        guard machine.ending == nil, let context, !context.channel.isWritable, progress.startWatching() else { return }
        context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(min(deadlines.sendProgress / 8, .milliseconds(200)))
        ) {
            self.progress.stopWatching()
            self.countBytes()
            let sent = self.counters.sent.load(ordering: .relaxed)
            if self.progress.hasStalled(sent: sent, now: .now(), deadline: TimeAmount(self.deadlines.sendProgress)) {
                self.perform(self.machine.fail(.timedOut(.sending)))
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
