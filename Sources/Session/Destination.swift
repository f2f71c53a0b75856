import Media
import Synchronization
import Threads
import Upload

/// One destination of a running session: its queue, its task, its connections one after another, and what became of it.
final class Destination: Sendable {
    let plan: DestinationPlan
    let queue: PacketQueue
    private let executor: ThreadExecutor
    private let status: Mutex<Status>
    private let timer = RetryTimer()
    private let onChange: @Sendable (SessionSnapshot.Destination) -> Void

    /// In errors, in the manner of HTTP's: nobody answered.
    private static let unreachable = 503

    private struct Status {
        var state = DestinationState.connecting
        var error: UploadError?
        var meter = RateMeter()
        var task: Task<Void, Never>?
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// The handler of now, and what those before it sent.
        var handler: (any SampleHandler)?
        var earlierBytes = 0
        var reconnects = 0
        var nextRetry: ContinuousClock.Instant?
        /// The handler has started and takes what comes, though its far end may not be ready yet.
        var isServing = false
        var isEnding = false
        /// Somebody wants the end now; else it is the content or the time that is over.
        var isEndAsked = false
    }

    init(plan: DestinationPlan, onChange: @escaping @Sendable (SessionSnapshot.Destination) -> Void) {
        self.plan = plan
        self.onChange = onChange
        var limits = plan.isLive ? PacketQueue.Limits.live : .file
        // Where no picture comes, sound does not wait for one.
        if !plan.takesVideo { limits.startsWithVideo = false }
        queue = PacketQueue(limits: limits)
        executor = ThreadExecutor(name: "to \(plan.name)")
        status = Mutex(Status())
        // A file keeps everything from the beginning; a viewer gets what is new once the connection stands.
        if !plan.isLive { queue.open() }
    }

    /// Nothing has been taken from it: `started` has not returned.
    var isWaitingToStart: Bool { status.withLock { !$0.isServing && !$0.state.isOver } }

    /// Starts the task that serves the handler, on a thread of its own.
    func start(_ stream: StreamDescription, requestKeyframe: @escaping @Sendable () -> Void) {
        executor.start()
        let task = Task(executorPreference: executor) { [self] in
            await run(stream, requestKeyframe: requestKeyframe)
            executor.shutDown()
        }
        status.withLock { $0.task = task }
    }

    /// Nothing more comes. What waits is still sent; where no connection stands it is not waited for.
    ///
    /// - Parameter isAsked: see `finish` of the session.
    func end(isAsked: Bool) {
        let (task, isServing) = status.withLock { status -> (Task<Void, Never>?, Bool) in
            status.isEnding = true
            status.isEndAsked = isAsked
            return (status.task, status.isServing)
        }
        queue.end()
        if plan.isLive && !isServing { task?.cancel() }
        timer.wake()
    }

    var isStarted: Bool { status.withLock { $0.task } != nil }

    /// Ends it from outside when it does not end by itself.
    func abandon() {
        status.withLock { $0.task }?.cancel()
    }

    /// Tries again now where it waits to be tried again; false where it does not.
    func retryNow() -> Bool {
        timer.wake()
    }

    /// What it has to say for itself now.
    ///
    /// - Parameter time: on the session's clock, to measure its rate; nil leaves that as it was.
    func snapshot(at time: MediaTime? = nil) -> SessionSnapshot.Destination {
        let bytes = byteCount
        let (status, rate) = status.withLock { status -> (Status, Double) in
            if let time, !status.state.isOver { status.meter.note(bytes, at: time) }
            return (status, status.state.isOver ? 0 : status.meter.rate)
        }
        let rest = status.nextRetry.map { max(.zero, $0 - .now) }
        return SessionSnapshot.Destination(
            name: plan.name, extensionName: plan.extensionName, state: status.state, url: plan.url, path: plan.path, byteCount: bytes,
            bitrate: Int(rate * 8 / 1000), dropped: queue.droppedFrames, backlog: queue.backlog + (status.handler?.backlog ?? .zero),
            reconnects: status.reconnects,
            nextRetry: rest.map { MediaTime(seconds: Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18) },
            picture: plan.picture.size, watchURL: status.handler?.watchURL, statusText: status.handler?.statusText, error: status.error)
    }

    /// What waits for its far end, here and in an extension.
    var backlog: MediaTime { queue.backlog + (status.withLock { $0.handler }?.backlog ?? .zero) }

    /// Bytes written or sent in all its connections.
    var byteCount: Int {
        let (handler, earlier) = status.withLock { ($0.handler, $0.earlierBytes) }
        return earlier + (handler?.byteCount ?? 0)
    }

    /// True where it has seconds of its own to write out at the end.
    var isPatient: Bool { plan.finishDeadline > .seconds(1) }

    var state: DestinationState { status.withLock { $0.state } }
    var error: UploadError? { status.withLock { $0.error } }

    /// Suspends until it is finished or failed.
    func waitUntilOver() async {
        await withCheckedContinuation { continuation in
            let isOver = status.withLock { status -> Bool in
                if !status.state.isOver { status.waiters.append(continuation) }
                return status.state.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    /// Notes that it did not come to its end in time.
    func fail(_ error: UploadError) {
        change(to: .failed, error: error)
    }

    // MARK: Its task

    /// What one connection leaves to the next.
    private struct Progress {
        var stream: StreamDescription
        var timeline = PauseTimeline()
        var isPaused = false
        /// Tries since the last connection that lasted.
        var attempts = 0
        var wasLive = false
    }

    private func run(_ stream: StreamDescription, requestKeyframe: @escaping @Sendable () -> Void) async {
        var progress = Progress(stream: stream)
        while true {
            let handler = plan.makeHandler()
            status.withLock { status in
                status.earlierBytes += status.handler?.byteCount ?? 0
                status.handler = handler
            }
            handler.attach(requestKeyframe: requestKeyframe)
            do throws(UploadError) {
                try await serve(handler, progress: &progress, requestKeyframe: requestKeyframe)
                change(to: .finished)
                return
            } catch .readerClosed {
                queue.end()
                try? await handler.finished(deadline: .zero)
                change(to: .finished)
                return
            } catch {
                queue.close()
                // The handler closes what it has; the first error is the one that counts.
                try? await handler.finished(deadline: .zero)
                guard await waitForNextTry(after: error, progress: &progress) else { return }
            }
        }
    }

    /// One connection, from `started` to `finished`.
    private func serve(
        _ handler: any SampleHandler, progress: inout Progress, requestKeyframe: @Sendable () -> Void
    ) async throws(UploadError) {
        let begin = ContinuousClock.now
        defer { status.withLock { $0.isServing = false } }
        try await handler.started(progress.stream)
        status.withLock { $0.isServing = true }
        if plan.isLive {
            queue.open()
            requestKeyframe()
        }
        if progress.isPaused { try await handler.paused() }
        tellState(handler, progress: &progress)
        while let element = await queue.next() {
            try await process(element, handler: handler, progress: &progress)
            tellState(handler, progress: &progress)
            // A connection that has lasted starts the count anew.
            if progress.attempts > 0 && begin.duration(to: .now) > .seconds(60) { progress.attempts = 0 }
        }
        try await handler.finished(deadline: plan.finishDeadline)
    }

    /// Live, or paused, once the far end takes what comes; until then, and while it does not, it connects.
    private func tellState(_ handler: any SampleHandler, progress: inout Progress) {
        let state = self.state
        guard handler.isReady else {
            guard progress.wasLive, state != .reconnecting else { return }
            return change(to: .reconnecting, error: .unreachable("The connection is lost" + (handler.statusText.map { ": \($0)." } ?? ".")))
        }
        guard ![.live, .paused].contains(state) || progress.isPaused != (state == .paused) else { return }
        if progress.wasLive && state == .reconnecting { status.withLock { $0.reconnects += 1 } }
        progress.wasLive = true
        change(to: progress.isPaused ? .paused : .live)
    }

    /// Waits until it is time to connect again; false where it is over.
    private func waitForNextTry(after error: UploadError, progress: inout Progress) async -> Bool {
        let (isEnding, isEndAsked) = status.withLock { ($0.isEnding, $0.isEndAsked) }
        if isEndAsked && !progress.wasLive && error.code == Self.unreachable {
            // It was stopped before it stood: as asked.
            change(to: .finished)
            return false
        }
        // A first connection that fails is a mistake more often than an outage, unless the server still holds the one before.
        let isWorthwhile = error.retry == .busy || (error.retry == .later && progress.wasLive)
        guard !isEnding, isWorthwhile, let delay = plan.retry?.delay(before: progress.attempts, chance: .random(in: 0...1)) else {
            queue.end()
            queue.discardAll()
            change(to: .failed, error: error)
            return false
        }
        progress.attempts += 1
        status.withLock { $0.nextRetry = .now + .nanoseconds(delay.nanoseconds) }
        change(to: .reconnecting, error: error)
        await timer.wait(delay)
        let goesOn = status.withLock { status in
            status.nextRetry = nil
            return !status.isEnding
        }
        if !goesOn { change(to: .failed, error: error) }
        return goesOn
    }

    private func process(_ element: PacketQueue.Element, handler: any SampleHandler, progress: inout Progress) async throws(UploadError) {
        switch element {
        case .packet(let packet):
            // Viewers see the slate; in a recording the paused stretch is cut out.
            if let placed = plan.isLive ? packet : progress.timeline.place(packet) { try await handler.process(placed) }
        case .paused(let time):
            progress.timeline.pause(at: time)
            progress.isPaused = true
            try await handler.paused()
        case .resumed(let time):
            progress.timeline.resume(at: time)
            progress.isPaused = false
            try await handler.resumed()
        case .annotated(let information):
            progress.stream.annotations.merge(information) { _, new in new }
            try await handler.annotated(information)
        }
    }

    private func change(to state: DestinationState, error: UploadError? = nil) {
        let waiters = status.withLock { status -> [CheckedContinuation<Void, Never>]? in
            guard !status.state.isOver, status.state != state || state == .reconnecting else { return nil }
            status.state = state
            status.error = error
            guard state.isOver else { return [] }
            defer { status.waiters = [] }
            return status.waiters
        }
        guard let waiters else { return }
        onChange(snapshot())
        for waiter in waiters { waiter.resume() }
    }
}
