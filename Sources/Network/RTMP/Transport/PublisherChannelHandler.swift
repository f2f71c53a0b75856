import Media
import NIOCore
import NIOTLS
import TLS

/// Performs the actions of the state machine on a channel, and executes the commands of the publisher.
///
/// Flow control is the channel's writability. A command waits here while the channel is not writable, and `window`
/// shows the same to the task that sends.
final class PublisherChannelHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = PublisherCommand
    typealias OutboundOut = ByteBuffer

    private var machine: PublisherStateMachine
    private let deadlines: RTMPDeadlines
    private let host: String
    private let counters: RTMPCounters
    private let window: SendWindow
    private let opening: EventLoopPromise<PublisherOpening>
    private let ending: EventLoopPromise<RTMPError?>

    /// The commands that wait until the channel is writable.
    private var waiting = CircularBuffer<(command: PublisherCommand, promise: EventLoopPromise<Void>?)>()
    private var deadline: Scheduled<Void>?
    private var watch: Scheduled<Void>?
    /// When the end of the stream must be complete.
    private var limit = ContinuousClock.now
    private var progress = SendProgress()
    private var replies = ReplyLimit()
    private var received = ReceiveLimit()

    /// - Parameters:
    ///   - host: the name that the server's certificate must have, if a TLS handler precedes this handler.
    ///   - opening: completed when the server accepted or rejected the stream, or with the `RTMPError` that ended the
    ///     connection before that.
    ///   - ending: completed when the connection has ended, with the reason, or nil after the whole stream was sent.
    init(
        machine: PublisherStateMachine, host: String, deadlines: RTMPDeadlines, counters: RTMPCounters,
        window: SendWindow, opening: EventLoopPromise<PublisherOpening>, ending: EventLoopPromise<RTMPError?>
    ) {
        self.machine = machine
        self.host = host
        self.deadlines = deadlines
        self.counters = counters
        self.window = window
        self.opening = opening
        self.ending = ending
    }

    // MARK: Commands of the publisher

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let command = unwrapOutboundIn(data)
        switch command {
        case .packet, .metadata, .space:
            waiting.append((command, promise))
            executeWaiting(context)
        case .finish:
            window.end()
            executeAllWaiting(context)
            execute(command, promise, context)
        }
    }

    /// Closes the connection immediately. Nothing that waits is sent.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        perform(machine.fail(.cancelled), context)
        context.close(mode: mode, promise: promise)
    }

    /// Executes commands while the channel is writable. After the connection has ended, it rejects them all.
    private func executeWaiting(_ context: ChannelHandlerContext) {
        while context.channel.isWritable || machine.ending != nil, let (command, promise) = waiting.popFirst() {
            execute(command, promise, context)
        }
    }

    private func executeAllWaiting(_ context: ChannelHandlerContext) {
        while let (command, promise) = waiting.popFirst() { execute(command, promise, context) }
    }

    private func execute(
        _ command: PublisherCommand, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        switch command {
        case .packet(let packet):
            window.leave(byteCount: packet.data.count)
            pass(machine.send(packet), promise, context)
        case .metadata(let stream): pass(machine.update(stream), promise, context)
        case .space: pass(machine.prepareToSend(), promise, context)
        case .finish(let deadline):
            limit = deadline
            perform(machine.finish(), context)
            promise?.succeed()
        }
    }

    /// Performs the action of a packet, of metadata or of a wait for space. The promise is completed when the channel
    /// has the bytes, not when the system has them: the next packet waits for that.
    private func pass(
        _ action: PublisherStateMachine.Action, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
    ) {
        switch action {
        case .send(let bytes):
            write(bytes, context)
            context.flush()
            promise?.succeed()
        case .reject(let error): promise?.fail(error)
        case .wait, .enter, .startPublishing, .reportAcknowledged, .reportReconnectRequest, .finish, .closeOutput,
            .close:
            perform(action, context)
            promise?.succeed()
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        perform(machine.start(), context)
        context.flush()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if machine.step == .securing, case .handshakeCompleted = event as? TLSUserEvent {
            perform(machine.secured(), context)
            context.flush()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        perform(machine.fail(.closed(during: machine.step)), context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard machine.ending == nil else { return }
        let bytes = unwrapInboundIn(data)
        guard received.allows(bytes.readableBytes, at: .now) else {
            return perform(machine.fail(.protocolViolation(.tooManyBytes)), context)
        }
        machine.append(bytes)
        var action = machine.next()
        while action != .wait {
            perform(action, context)
            action = machine.next()
        }
        // Only here, so that many small answers are one packet.
        context.flush()
    }

    func channelInactive(context: ChannelHandlerContext) {
        perform(machine.receiveEnd(), context)
        context.fireChannelInactive()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        countBytes(context)
        updateWindow(context)
        if context.channel.isWritable {
            replies.reset()
            executeWaiting(context)
        } else {
            progress.begin(sent: counters.sent.load(ordering: .relaxed), now: .now())
            watchProgress(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if machine.step == .securing, let problem = error as? TLSProblem {
            return perform(machine.fail(.insecure(host: host, problem)), context)
        }
        perform(machine.lose(.breaking(error, during: machine.step)), context)
    }

    // MARK: Actions of the state machine

    /// Performs an action. The caller flushes what it writes.
    private func perform(_ action: PublisherStateMachine.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .wait, .reject: break
        case .send(let bytes): reply(bytes, context)
        case .enter(let step, let bytes):
            reply(bytes, context)
            schedule(deadlines.duration(of: step), step, context)
        case .startPublishing(let bytes):
            reply(bytes, context)
            deadline?.cancel()
            updateWindow(context)
            opening.succeed(.live(context.channel))
        case .reportAcknowledged(let count): counters.acknowledged.store(count, ordering: .relaxed)
        case .reportReconnectRequest(let request): counters.request(request)
        case .finish(let bytes):
            schedule(ContinuousClock.now.duration(to: limit), .finishing, context)
            let written = write(bytes, context)
            context.flush()
            written.assumeIsolated().whenSuccess { self.perform(self.machine.delivered(), context) }
        case .closeOutput:
            schedule(min(deadlines.closing, ContinuousClock.now.duration(to: limit)), .finishing, context)
            // Closing both sides would discard bytes that the server has not read.
            context.close(mode: .output, promise: nil)
        case .close(let ending): end(ending, context)
        }
    }

    /// Writes an answer. Ends the connection if too many bytes of answers wait.
    private func reply(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard bytes.readableBytes > 0 else { return }
        guard context.channel.isWritable || replies.allows(bytes.readableBytes) else {
            return perform(machine.fail(.protocolViolation(.answersNotRead)), context)
        }
        write(bytes, context)
    }

    /// Returns a future that completes when the last byte was passed to the system.
    @discardableResult
    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) -> EventLoopFuture<Void> {
        progress.enqueued += UInt64(bytes.readableBytes)
        let written = context.write(wrapOutboundOut(bytes))
        written.assumeIsolated().whenComplete { _ in self.countBytes(context) }
        return written
    }

    private func updateWindow(_ context: ChannelHandlerContext) {
        window.set(isOpen: machine.step == .sending && context.channel.isWritable)
    }

    private func end(_ ending: PublisherStateMachine.Ending, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        watch?.cancel()
        countBytes(context)
        window.end()
        switch ending {
        case .rejected(let rejection, _): opening.succeed(.rejected(rejection))
        case .failed(let error): opening.fail(error)
        case .finished: break
        }
        self.ending.succeed(ending.error)
        executeAllWaiting(context)
        // The answers before the message that ended the connection.
        context.flush()
        context.close(promise: nil)
    }

    // MARK: Deadlines

    private func schedule(_ duration: Duration?, _ step: RTMPStep, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        guard let duration, machine.ending == nil else { return }
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(duration)) {
            self.perform(self.machine.fail(.timedOut(step)), context)
        }
    }

    /// While the channel is not writable, checks eight times within the deadline, and at least five times a second,
    /// whether bytes are still being sent. The end of a broadcast looks at the counters after 800 ms.
    private func watchProgress(_ context: ChannelHandlerContext) {
        guard machine.ending == nil, !context.channel.isWritable, progress.startWatching() else { return }
        watch = context.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(min(deadlines.sendProgress / 8, .milliseconds(200)))
        ) {
            self.progress.stopWatching()
            self.countBytes(context)
            let sent = self.counters.sent.load(ordering: .relaxed)
            if self.progress.hasStalled(sent: sent, now: .now(), deadline: TimeAmount(self.deadlines.sendProgress)) {
                self.perform(self.machine.fail(.timedOut(.sending)), context)
            } else {
                self.watchProgress(context)
            }
        }
    }

    /// Updates the counters. Bytes that the channel still holds do not count as sent, and a large packet is sent in
    /// parts.
    private func countBytes(_ context: ChannelHandlerContext) {
        guard context.channel.isActive,
            let queued = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return }
        counters.queued.store(UInt64(max(0, queued)), ordering: .relaxed)
        counters.sent.store(progress.enqueued - min(progress.enqueued, UInt64(max(0, queued))), ordering: .relaxed)
    }
}
