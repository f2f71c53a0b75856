import Media
import Synchronization
import Upload

/// One destination of a running session: its queue, its task, and what became of it.
final class Destination: Sendable {
    let plan: DestinationPlan
    let queue: PacketQueue
    private let executor: ThreadExecutor
    private let status: Mutex<Status>
    private let onChange: @Sendable (SessionSnapshot.Destination) -> Void

    private struct Status {
        var state = DestinationState.connecting
        var error: UploadError?
        var meter = RateMeter()
        var task: Task<Void, Never>?
        var waiters: [CheckedContinuation<Void, Never>] = []
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

    /// Starts the task that serves the handler, on a thread of its own.
    func start(_ stream: StreamDescription, requestKeyframe: @escaping @Sendable () -> Void) {
        executor.start()
        let task = Task(executorPreference: executor) { [self] in
            await run(stream, requestKeyframe: requestKeyframe)
            executor.shutDown()
        }
        status.withLock { $0.task = task }
    }

    /// Ends it from outside when it does not end by itself.
    func abandon() {
        status.withLock { $0.task }?.cancel()
    }

    /// What it has to say for itself now.
    func snapshot(at time: MediaTime) -> SessionSnapshot.Destination {
        let bytes = plan.handler.byteCount
        let (state, error, rate) = status.withLock { status -> (DestinationState, UploadError?, Double) in
            if !status.state.isOver { status.meter.note(bytes, at: time) }
            return (status.state, status.error, status.state.isOver ? 0 : status.meter.rate)
        }
        return SessionSnapshot.Destination(
            name: plan.name, extensionName: plan.extensionName, state: state, url: plan.url, path: plan.path, byteCount: bytes,
            bitrate: Int(rate * 8 / 1000), dropped: queue.droppedFrames, backlog: queue.backlog, watchURL: plan.handler.watchURL,
            statusText: plan.handler.statusText, error: error)
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

    private func run(_ stream: StreamDescription, requestKeyframe: @escaping @Sendable () -> Void) async {
        plan.handler.attach(requestKeyframe: requestKeyframe)
        do throws(UploadError) {
            try await plan.handler.started(stream)
            if plan.isLive {
                queue.open()
                requestKeyframe()
            }
            change(to: .live)
            var timeline = PauseTimeline()
            while let element = await queue.next() { try await process(element, timeline: &timeline) }
            try await plan.handler.finished(deadline: plan.finishDeadline)
            change(to: .finished)
        } catch .readerClosed {
            queue.end()
            try? await plan.handler.finished(deadline: .zero)
            change(to: .finished)
        } catch {
            queue.end()
            queue.discardAll()
            // The handler closes what it has; the first error is the one that counts.
            try? await plan.handler.finished(deadline: .zero)
            change(to: .failed, error: error)
        }
    }

    private func process(_ element: PacketQueue.Element, timeline: inout PauseTimeline) async throws(UploadError) {
        switch element {
        case .packet(let packet):
            // Viewers see the slate; in a recording the paused stretch is cut out.
            if let placed = plan.isLive ? packet : timeline.place(packet) { try await plan.handler.process(placed) }
        case .paused(let time):
            timeline.pause(at: time)
            try await plan.handler.paused()
            change(to: .paused)
        case .resumed(let time):
            timeline.resume(at: time)
            try await plan.handler.resumed()
            change(to: .live)
        case .annotated(let information): try await plan.handler.annotated(information)
        }
    }

    private func change(to state: DestinationState, error: UploadError? = nil) {
        let waiters = status.withLock { status -> [CheckedContinuation<Void, Never>]? in
            guard !status.state.isOver, status.state != state else { return nil }
            status.state = state
            status.error = error
            guard state.isOver else { return [] }
            defer { status.waiters = [] }
            return status.waiters
        }
        guard let waiters else { return }
        onChange(snapshot(at: .zero))
        for waiter in waiters { waiter.resume() }
    }
}
