import Media
import NIOCore
import NIOSSL
import NIOTLS

/// Joins the state machine to a channel: on the channel's event loop only.
///
/// Those who wait (`PublisherWaiter`) are answered with a result, and each exactly once.
final class PublisherChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Answers to the server's requests that may wait for a server that reads nothing, in bytes.
    private static let maximumBlockedReplies = 65_536

    let counters: RTMPCounters
    /// How the server says that it goes on, where it has rejected `connect`.
    private(set) var rejection: ConnectRejection?
    private var machine: PublisherStateMachine
    private let deadlines: RTMPDeadlines
    private let host: String
    /// TLS is not up yet: nothing of RTMP goes out before.
    private var isSecuring: Bool
    private var context: ChannelHandlerContext?
    private var waiters = PublisherWaiters()
    private var deadline: Scheduled<Void>?
    private var progress = SendProgress()
    private var blockedReplies = 0
    private var isLive = false
    /// The stream's end is on its way; nothing can be sent any more.
    private var isFinishing = false
    /// Everything, the stream's end included, was handed to the system.
    private var isDelivered = false
    /// How it ended; nil while the connection stands.
    private var ending: Result<Void, RTMPError>?

    /// - Parameter url: the server's; with `rtmps` there is a TLS handler before this one.
    init(machine: PublisherStateMachine, url: RTMPURL, deadlines: RTMPDeadlines, counters: RTMPCounters) {
        self.machine = machine
        host = url.host
        isSecuring = url.scheme == .rtmps
        self.deadlines = deadlines
        self.counters = counters
    }

    // MARK: from the publisher

    /// Answers once the server takes the stream.
    func waitUntilLive(_ waiter: PublisherWaiter) {
        add(waiter, for: .live)
    }

    /// Answers, always with success, once the connection is no more.
    func waitUntilClosed(_ waiter: PublisherWaiter) {
        add(waiter, for: .closed)
    }

    /// Why it is no more; nil after an end that was asked for, or while it stands.
    var failure: RTMPError? {
        if case .failure(let error) = ending { error } else { nil }
    }

    /// Writes the packet when there is room, and answers when there is room for the next.
    func send(_ packet: EncodedPacket, _ waiter: PublisherWaiter) {
        add(waiter, for: .room(toSend: packet))
    }

    func update(_ stream: StreamDescription, _ waiter: PublisherWaiter) {
        if ending == nil { write(machine.update(stream)) }
        add(waiter, for: .room(toSend: nil))
    }

    /// Sends what is left and the stream's end, then waits until the server closes. Answers when the connection is no more.
    func finish(deadline: Duration, _ waiter: PublisherWaiter) {
        add(waiter, for: .closed)
        guard ending == nil, let context else { return }
        guard !isFinishing else { return }
        isFinishing = true
        schedule(deadline, .finishing)
        waiters.answer(.failure(.closed(during: .finishing))) { $0.isRoom }
        write(machine.finish())?.assumeIsolated().whenSuccess {
            self.isDelivered = true
            // One way only, so that the server still gets all of it: closing both at once would drop what it has not read.
            context.close(mode: .output, promise: nil)
        }
    }

    /// Ends it at once.
    func abort(_ error: RTMPError) {
        end(.failure(error))
    }

    /// Nobody waits any longer.
    func cancel(_ waiter: PublisherWaiter.ID) {
        waiters.answer(.failure(.cancelled)) { $0.waiter.id == waiter }
    }

    // MARK: from the channel

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
        perform(machine.receive(unwrapInboundIn(data).readableBytesView.withUnsafeBytes { Array($0) }[...]))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isSecuring { perform(machine.receiveEnd()) }
        end(.failure(.closed(during: step)))
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        countBytes()
        if context.channel.isWritable {
            blockedReplies = 0
            serveRoom()
        } else {
            progress.begin(sent: counters.sent.load(ordering: .relaxed), now: .now())
            watchProgress()
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server that has been told of the end may close as roughly as it likes.
        guard !isDelivered else { return end(.success(())) }
        let certificate = isSecuring ? (try? context.pipeline.syncOperations.nioSSL_peerCertificate()) ?? nil : nil
        if isSecuring, let problem = TLSProblem(error, certificate: certificate) { return end(.failure(.insecure(host: host, problem))) }
        end(.failure(.breaking(error, during: step)))
    }

    private var step: RTMPStep { isSecuring ? .securing : machine.step }

    // MARK: what the machine wants

    private func perform(_ actions: [PublisherAction]) {
        for action in actions where ending == nil {
            switch action {
            case .send(let bytes): reply(bytes)
            case .entered(let step): schedule(deadlines.duration(of: step), step)
            case .publishing:
                isLive = true
                waiters.answer(.success(())) { $0.isLive }
            case .acknowledged(let count): counters.acknowledged.store(count, ordering: .relaxed)
            case .reconnectRequested(let request): counters.request(request)
            case .rejected(let rejection): self.rejection = rejection
            case .finished: end(isDelivered ? .success(()) : .failure(.closed(during: .finishing)))
            case .failed(let error): end(.failure(error))
            }
        }
    }

    /// A server that asks and asks but reads no answer must not fill our memory.
    private func reply(_ bytes: [UInt8]) {
        if context?.channel.isWritable == false {
            blockedReplies += bytes.count
            guard blockedReplies <= Self.maximumBlockedReplies else {
                return end(.failure(.protocolViolation("it sends requests and does not read the answers")))
            }
        }
        write(bytes)
    }

    /// Gives what tells that the last byte was handed to the system; nil where there is nothing to write, or no channel.
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
        if let ending {
            answerAll(ending)
        } else if isFinishing {
            waiters.answer(.failure(.closed(during: .finishing))) { $0.isRoom }
        } else if isLive {
            waiters.answer(.success(())) { $0.isLive }
            serveRoom()
        }
    }

    /// Writes for those who wait to send, in order, as long as there is room.
    private func serveRoom() {
        while ending == nil, let context, context.channel.isWritable, let packet = waiters.takeRoom() {
            if let packet { write(machine.send(packet)) }
        }
    }

    private func end(_ result: Result<Void, RTMPError>) {
        guard ending == nil else { return }
        ending = result
        deadline?.cancel()
        countBytes()
        answerAll(result)
        context?.close(promise: nil)
    }

    private func answerAll(_ result: Result<Void, RTMPError>) {
        waiters.answer(.success(())) { $0.isClosed }
        if case .failure(let error) = result {
            waiters.answer(.failure(error)) { _ in true }
        } else {
            waiters.answer(.failure(.closed(during: .finishing))) { _ in true }
        }
    }

    // MARK: time

    private func schedule(_ duration: Duration?, _ step: RTMPStep) {
        deadline?.cancel()
        guard let duration, let context else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) { self.end(.failure(.timedOut(step))) }
    }

    /// While the channel takes no more: looks a few times a deadline whether bytes still leave.
    private func watchProgress() {
        guard ending == nil, let context, !context.channel.isWritable, progress.startWatching() else { return }
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(deadlines.sendProgress / 8)) {
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

    /// What the channel still holds is not sent yet, to the byte: large packets leave in parts.
    private func countBytes() {
        guard let context, context.channel.isActive,
            let queued = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return }
        counters.queued.store(UInt64(max(0, queued)), ordering: .relaxed)
        counters.sent.store(progress.enqueued - min(progress.enqueued, UInt64(max(0, queued))), ordering: .relaxed)
    }
}
