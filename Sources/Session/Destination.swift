import Concurrency
import Media
import Synchronization
import Upload

/// One destination of a running session: its queue, its task, its connections one after another, and what became of it.
///
/// The life cycle is in `DestinationTask`; this type is what other threads see of it.
package final class Destination: Sendable {
    package let plan: DestinationPlan
    package let queue: PacketQueue
    /// Set as soon as it is live for the first time, or over.
    package let decided = Once<Void>()
    /// Set as soon as it is not just connecting: it is live, waits to connect again, or is over.
    package let answered = Once<Void>()
    private let over = Once<Void>()
    private let executor: ThreadExecutor
    private let status = Mutex(Status())
    private let clock: any Clock<Duration>
    private let report: @Sendable (SessionEvent) -> Void

    private struct Status {
        var state = DestinationState.connecting
        var previousState: DestinationState?
        var hasBeenLive = false
        var media = MediaSpan()
        var error: UploadError?
        var meter = RateMeter()
        var task: Task<Void, Never>?
        /// Ends the wait for the next try.
        var retryNow: Once<Void>?
        /// The current handler, and what those before it sent.
        var handler: (any SampleHandler)?
        var earlierBytes = 0
        var reconnects = 0
        var nextRetry: ContinuousClock.Instant?
        /// The handler has started and accepts packets, though its far end may not be ready yet.
        var isServing = false
        var end: End?
    }

    /// Why no more packets come.
    package enum End: Sendable {
        /// The user asked for it, so a destination that never connected is not a failure.
        case asked
        /// The content or the time is over.
        case over
    }

    /// - Parameters:
    ///   - clock: for waits between tries.
    ///   - report: called on any thread. It must not block.
    package init(plan: DestinationPlan, clock: any Clock<Duration> = ContinuousClock(), report: @escaping @Sendable (SessionEvent) -> Void) {
        self.plan = plan
        self.clock = clock
        self.report = report
        var limits = plan.isLive ? PacketQueue.Limits.live : .file
        // If no picture comes, sound does not wait for one.
        if !plan.media.takesVideo { limits.startsWithVideo = false }
        queue = PacketQueue(limits: limits)
        executor = ThreadExecutor(name: "to \(plan.name)")
        // A recording keeps everything from the beginning; a viewer gets what is new once the connection works.
        if !plan.isLive { queue.open() }
    }

    // MARK: What the session asks of it

    /// Starts the task that serves the handler, on a thread of its own.
    ///
    /// - Parameter joinsLate: the session runs already. A recording then begins at time zero nevertheless.
    package func start(_ stream: StreamDescription, joinsLate: Bool = false, requestKeyframe: @escaping @Sendable () -> Void) {
        executor.start()
        let context = HandlerContext(requestKeyframe: requestKeyframe) { [report, name = plan.name] in
            report(.notice(.destination(name: name, $0)))
        }
        let task = Task(executorPreference: executor) { [self] in
            var run = DestinationTask(destination: self, stream: stream, joinsLate: joinsLate, context: context)
            await run.run()
            executor.shutDown()
        }
        status.withLock { $0.task = task }
    }

    /// Ends the input. The queue is still sent, unless the destination is not connected.
    package func end(_ end: End) {
        let (task, isServing, retryNow) = status.withLock { status -> (Task<Void, Never>?, Bool, Once<Void>?) in
            status.end = status.end ?? end
            return (status.task, status.isServing, status.retryNow)
        }
        queue.end()
        if plan.isLive && !isServing { task?.cancel() }
        retryNow?.set(())
    }

    /// Makes a handler that blocks give up.
    package func abandon() {
        status.withLock { $0.task }?.cancel()
    }

    /// Tries to connect again now; false if it does not wait for that.
    package func retryNow() -> Bool {
        status.withLock { $0.retryNow }?.set(()) ?? false
    }

    /// Counts it as failed although its task has not ended.
    package func fail(_ error: UploadError) {
        change(to: .failed, error: error)
    }

    /// It is not part of the session after all, and never started: nothing waits for it any more.
    package func discard() {
        for event in [over, decided, answered] { event.set(()) }
    }

    package var isStarted: Bool { status.withLock { $0.task } != nil }

    /// True until its handler has started.
    package var isWaitingToStart: Bool { status.withLock { !$0.isServing && !$0.state.isOver } }

    package var state: DestinationState { status.withLock { $0.state } }

    /// Suspends until it is finished or failed.
    package func waitUntilOver() async {
        await over.value
    }

    /// Media that waits for its far end, here and in an extension.
    package var backlog: MediaTime { queue.backlog + (status.withLock { $0.handler }?.remarks.backlog ?? .zero) }

    /// Bytes written or sent over all its connections.
    package var byteCount: Int {
        let (handler, earlier) = status.withLock { ($0.handler, $0.earlierBytes) }
        return earlier + (handler?.byteCount ?? 0)
    }

    /// Its state and figures.
    ///
    /// - Parameter time: on the session's clock, to measure its rate; nil leaves the rate as it was.
    package func snapshot(at time: MediaTime? = nil) -> SessionSnapshot.Destination {
        let bytes = byteCount
        let (status, rate) = status.withLock { status -> (Status, Double) in
            if let time, !status.state.isOver { status.meter.note(bytes, at: time) }
            return (status, status.state.isOver ? 0 : status.meter.rate)
        }
        let remarks = status.handler?.remarks ?? HandlerRemarks()
        return SessionSnapshot.Destination(
            name: plan.name, kind: plan.kind, state: status.state, previousState: status.previousState, url: plan.url, path: plan.path,
            byteCount: bytes,
            bitrate: Int(rate * 8 / 1000), dropped: queue.droppedFrames, backlog: queue.backlog + remarks.backlog,
            duration: status.hasBeenLive ? status.media.total : nil, reconnects: status.reconnects,
            nextRetry: status.nextRetry.map { MediaTime(max(.zero, $0 - .now)) }, picture: plan.picture.size, watchURL: remarks.watchURL,
            statusText: remarks.status, error: status.error)
    }

    // MARK: What its task reports

    /// The handler of the next connection.
    package func adopt(_ handler: any SampleHandler) {
        status.withLock { status in
            status.earlierBytes += status.handler?.byteCount ?? 0
            status.handler = handler
            status.media.endConnection()
        }
    }

    /// Its handler has taken a packet of that time, on the destination's own time line.
    package func noteMedia(at time: MediaTime) {
        status.withLock { $0.media.add(time) }
    }

    package func setServing(_ isServing: Bool) {
        status.withLock { $0.isServing = isServing }
    }

    package func countReconnect() {
        status.withLock { $0.reconnects += 1 }
    }

    package var end: End? { status.withLock { $0.end } }

    /// Reports the lost connection and waits for the next try; false if the end came meanwhile.
    package func waitForRetry(after error: UploadError, _ delay: Duration) async -> Bool {
        let retryNow = Once<Void>()
        let isEnding = status.withLock { status -> Bool in
            status.nextRetry = .now + delay
            status.retryNow = retryNow
            return status.end != nil
        }
        change(to: .reconnecting, error: error)
        if !isEnding {
            let timer = Task { [clock] in
                try? await clock.sleep(for: delay)
                retryNow.set(())
            }
            await withTaskCancellationHandler {
                await retryNow.value
            } onCancel: {
                retryNow.set(())
            }
            timer.cancel()
        }
        return status.withLock { status in
            status.nextRetry = nil
            status.retryNow = nil
            return status.end == nil
        }
    }

    package func change(to state: DestinationState, error: UploadError? = nil) {
        let isNews = status.withLock { status -> Bool in
            guard !status.state.isOver, status.state != state || state == .reconnecting else { return false }
            status.previousState = status.state
            status.state = state
            if state == .live || state == .paused { status.hasBeenLive = true }
            status.error = error
            return true
        }
        guard isNews else { return }
        report(.destination(snapshot()))
        if state.isOver { over.set(()) }
        if state.isOver || state == .live || state == .paused { decided.set(()) }
        if state != .connecting { answered.set(()) }
    }
}

/// The duration of media over several connections, from the times of its packets.
private struct MediaSpan {
    private var earlier = MediaTime.zero
    private var current: (start: MediaTime, end: MediaTime)?

    var total: MediaTime { earlier + (current.map { $0.end - $0.start } ?? .zero) }

    mutating func add(_ time: MediaTime) {
        current = (min(current?.start ?? time, time), max(current?.end ?? time, time))
    }

    mutating func endConnection() {
        earlier = total
        current = nil
    }
}

extension MediaTime {
    /// The same time; MediaTime counts whole nanoseconds.
    init(_ duration: Duration) {
        self.init(nanoseconds: duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000)
    }
}
