import Concurrency
import Media
import Synchronization
import Upload

/// One destination of a running session: its queue, its task, its consecutive connections, and its result. Thread-safe.
///
/// `DestinationTask` contains the life cycle. This type is its interface for other threads.
package final class Destination: Sendable {
    package let plan: DestinationPlan
    /// The packets that wait for the destination.
    package let queue: PacketQueue
    /// Set when the destination is live for the first time, or over.
    package let decided = Once<Void>()
    /// Set when the first connection has a result: the destination is live, waits for the next try, or is over.
    package let answered = Once<Void>()
    private let over = Once<Void>()
    private let executor: ThreadExecutor
    private let status = Mutex(Status())
    private let clock: any Clock<Duration>
    private let report: @Sendable (DestinationEvent) -> Void

    private struct Status {
        var state = DestinationState.connecting
        var previousState: DestinationState?
        var hasBeenLive = false
        var media = MediaSpan()
        var error: UploadError?
        var meter = RateMeter()
        var task: Task<Void, Never>?
        /// Set it to end the wait for the next try. Nil if the destination does not wait.
        var retryNow: Once<Void>?
        /// The current handler. `earlierBytes` is the number of bytes that earlier handlers sent.
        var handler: (any SampleHandler)?
        var earlierBytes = 0
        var reconnects = 0
        var nextRetry: ContinuousClock.Instant?
        /// True if the handler has started and accepts packets. Its far end may not be ready yet.
        var isServing = false
        var end: End?
    }

    /// Why the input ends.
    package enum End: Sendable {
        /// The user requested the end, or the session failed, so a destination that never connected is not a failure.
        case asked
        /// The content or the duration of the session is over.
        case over
    }

    /// - Parameters:
    ///   - clock: measures the waits between tries.
    ///   - report: called on any thread. It must not block.
    package init(
        plan: DestinationPlan, clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @Sendable (DestinationEvent) -> Void
    ) {
        self.plan = plan
        self.clock = clock
        self.report = report
        var limits = plan.isLive ? PacketQueue.Limits.live : .file
        // A destination without pictures must not wait for the first picture.
        if !plan.media.takesVideo { limits.startsWithVideo = false }
        queue = PacketQueue(limits: limits)
        executor = ThreadExecutor(name: "to \(plan.name)")
        // A recording keeps all packets from the beginning. A viewer receives only packets after the connection.
        if !plan.isLive { queue.open() }
    }

    // MARK: Calls of the session

    /// Starts the destination's task on its own thread.
    ///
    /// - Parameters:
    ///   - joinsLate: true if the session already runs. The times of a recording then start at zero too.
    ///   - clockOrigin: called on any thread for `CLOCK_MONOTONIC` in nanoseconds at the session's time zero.
    ///   - requestKeyframe: called on any thread to request an IDR picture. It must not block.
    package func start(
        _ stream: StreamDescription, joinsLate: Bool = false,
        clockOrigin: @escaping @Sendable () -> Int64? = { nil }, requestKeyframe: @escaping @Sendable () -> Void
    ) {
        executor.start()
        // The times of a recording are its own.
        let isLive = plan.isLive
        let context = HandlerContext(
            requestKeyframe: requestKeyframe, report: { [report] in report(.notice($0)) },
            comment: { [report] in report(.comment($0)) }, acceptsLess: { [report] in report(.acceptsLess) },
            clockOrigin: { isLive ? clockOrigin() : nil })
        let task = Task(executorPreference: executor) { [self] in
            var run = DestinationTask(destination: self, stream: stream, joinsLate: joinsLate, context: context)
            await run.run()
            executor.shutDown()
        }
        status.withLock { $0.task = task }
    }

    /// Ends the input. The destination still sends the packets in its queue if it is connected.
    package func end(_ end: End) {
        let (task, isServing, retryNow) = status.withLock { status -> (Task<Void, Never>?, Bool, Once<Void>?) in
            status.end = status.end ?? end
            return (status.task, status.isServing, status.retryNow)
        }
        queue.end()
        if plan.isLive && !isServing { task?.cancel() }
        retryNow?.set(())
    }

    /// Cancels the task, so that a handler stops waiting for its far end.
    package func abandon() {
        status.withLock { $0.task }?.cancel()
    }

    /// Ends the wait for the next try. Returns false if the destination does not wait.
    package func retryNow() -> Bool {
        status.withLock { $0.retryNow }?.set(()) ?? false
    }

    /// Sets the state to failed although the task has not ended.
    package func fail(_ error: UploadError) {
        change(to: .failed, error: error)
    }

    /// Completes all waits for a destination that was never started and is not part of the session.
    package func discard() {
        plan.whenOver()
        for event in [over, decided, answered] { event.set(()) }
    }

    /// True after `start`.
    package var isStarted: Bool { status.withLock { $0.task } != nil }

    /// True until the first handler has started, or the destination is over.
    package var isWaitingToStart: Bool { status.withLock { !$0.isServing && !$0.state.isOver } }

    package var state: DestinationState { status.withLock { $0.state } }

    /// Suspends until the destination is finished or failed.
    package func waitUntilOver() async {
        await over.value
    }

    /// The duration of the media that waits for the far end, in the queue and in an extension.
    package var backlog: MediaTime { queue.backlog + (status.withLock { $0.handler }?.remarks.backlog ?? .zero) }

    /// The bitrate of picture and sound in kbit/s that the far end says it accepts; nil if it does not say.
    package var acceptedBitrate: Int? { status.withLock { $0.handler }?.remarks.bitrate }

    /// True if it writes an ordinary file.
    var isOnDisk: Bool { status.withLock { $0.handler }?.remarks.isOnDisk ?? false }

    /// The number of bytes that all connections wrote or sent.
    package var byteCount: Int {
        let (handler, earlier) = status.withLock { ($0.handler, $0.earlierBytes) }
        return earlier + (handler?.byteCount ?? 0)
    }

    /// Returns the state and the figures.
    ///
    /// - Parameter time: the session's time, to measure the bitrate; if nil, the bitrate is the last measured one.
    package func snapshot(at time: MediaTime? = nil) -> DestinationSnapshot {
        let bytes = byteCount
        let (status, rate) = status.withLock { status -> (Status, Double) in
            if let time, !status.state.isOver { status.meter.note(bytes, at: time) }
            return (status, status.state.isOver ? 0 : status.meter.rate)
        }
        let remarks = status.handler?.remarks ?? HandlerRemarks()
        var snapshot = DestinationSnapshot(
            name: plan.name, kind: plan.kind, state: status.state, previousState: status.previousState, url: plan.url,
            path: plan.path,
            byteCount: bytes,
            bitrate: Int(rate * 8 / 1000), dropped: queue.droppedFrames, backlog: queue.backlog + remarks.backlog,
            duration: status.hasBeenLive ? status.media.total : nil, reconnects: status.reconnects,
            nextRetry: status.nextRetry.map { MediaTime(max(.zero, $0 - .now)) }, picture: plan.picture.size,
            watchURL: remarks.watchURL,
            statusText: status.state.isOver ? remarks.finalStatus : remarks.status, error: status.error)
        snapshot.viewers = status.state.isOver ? nil : remarks.viewers
        snapshot.isRetried = status.hasBeenLive || plan.waitsForNetwork
        snapshot.isEndRequested = status.end == .asked
        return snapshot
    }

    // MARK: Calls of the task

    /// Sets the handler of the next connection.
    package func adopt(_ handler: any SampleHandler) {
        status.withLock { status in
            status.earlierBytes += status.handler?.byteCount ?? 0
            status.handler = handler
            status.media.endConnection()
        }
    }

    /// Records that the handler has taken a packet.
    ///
    /// - Parameter time: the packet's time on the destination's own timeline.
    package func noteMedia(at time: MediaTime) {
        status.withLock { $0.media.add(time) }
    }

    /// Sets whether the handler has started and accepts packets.
    package func setServing(_ isServing: Bool) {
        status.withLock { $0.isServing = isServing }
    }

    /// Returns a function that measures the time from now, with the clock of the waits.
    func stopwatch() -> () -> Duration {
        func stopwatch<C: Clock<Duration>>(_ clock: C) -> () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
        return stopwatch(clock)
    }

    /// Counts a connection that was restored.
    package func countReconnect() {
        status.withLock { $0.reconnects += 1 }
    }

    /// The reason for the end of the input; nil before the end.
    package var end: End? { status.withLock { $0.end } }

    /// Reports the lost connection and waits for the next try. Returns false if the input ended during the wait.
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

    /// Changes the state and reports the change. Does nothing if the destination is over.
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
        if state.isOver { plan.whenOver() }
        report(.changed(snapshot()))
        if state.isOver { over.set(()) }
        if state.isOver || state == .live || state == .paused { decided.set(()) }
        if state != .connecting { answered.set(()) }
    }
}
