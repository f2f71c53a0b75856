import Concurrency
import Encode
import Media
import Synchronization
import Upload

/// A system broadcast: one run of the whole pipeline, from the source to all destinations.
///
///     Pipeline ─► PacketQueue ─► Destination ─► SampleHandler
///
/// Everything that happens comes as a stream of events. No thread of the pipeline ever waits for the reader of that stream.
package final class BroadcastSession: Sendable {
    /// What happens, in order. If the reader is slow the oldest events are dropped. It ends with the session. One reader.
    package var events: AsyncStream<SessionEvent> { channel.events }

    let configuration: SessionConfiguration
    let pipeline: Pipeline
    let channel: EventChannel
    let disclosure: Disclosure
    let members = Mutex<[Member]>([])
    /// State and pause schedule change together.
    let pausing = Mutex(())
    private let plans: [DestinationPlan]
    private let clock: any Clock<Duration>
    private let status = Mutex(Status())
    let ending: Once<EndReason>
    private let outcome = Once<SessionOutcome>()

    /// A destination, and the encode that serves it.
    struct Member: Sendable {
        var destination: Destination
        var rendition: Rendition?
        var congestion: CongestionController?
        /// The user removed it, and it is ending.
        var isLeaving = false
    }

    /// The first reason for which a session ends.
    enum EndReason: Sendable {
        case asked
        /// The time is up, or the content is at its end.
        case over
        case destinationsEnded
        case failed(SessionError)
    }

    private struct Status {
        var state = SessionState.starting
        var isStarted = false
        var clock: SessionClock?
        /// The session's length, once it ends.
        var elapsed: MediaTime?
    }

    /// - Parameter clock: for the waits of destinations between their tries.
    package init(configuration: SessionConfiguration, destinations plans: [DestinationPlan], clock: any Clock<Duration> = ContinuousClock()) {
        self.configuration = configuration
        self.plans = plans
        self.clock = clock
        let channel = EventChannel()
        let ending = Once<EndReason>()
        let disclosure = Disclosure()
        self.channel = channel
        self.ending = ending
        self.disclosure = disclosure
        pipeline = Pipeline(configuration: configuration, disclosure: disclosure, channel: channel, ending: ending)
        let destinations = plans.map(makeDestination)
        members.withLock { $0 = destinations.map { Member(destination: $0) } }
    }

    func makeDestination(_ plan: DestinationPlan) -> Destination {
        var plan = plan
        plan.waitsForNetwork = configuration.waitsForNetwork
        return Destination(plan: plan, clock: clock) { [weak self, channel] event in
            channel.send(event)
            if case .destination(let destination) = event, destination.state == .live { self?.change(to: .live, from: .starting) }
        }
    }

    // MARK: Life

    /// Starts the broadcast, and returns once every destination is live or over, or the session has ended.
    ///
    /// - Throws: if the source or an encoder cannot be opened. The session is over then.
    package func start() async throws(SessionError) {
        let isFirst = status.withLock { status -> Bool in
            defer { status.isStarted = true }
            return !status.isStarted
        }
        guard isFirst else { throw .notBegun }
        do throws(SessionError) {
            guard try await pipeline.open(for: plans) else {
                // The user stopped it before the source was open.
                await abandon(as: .finished, error: nil)
                return
            }
            channel.send(.opened(pipeline.source?.source))
            try await startDestinations()
        } catch {
            await abandon(as: .failed, error: error)
            throw error
        }
        let clock = pipeline.begin()
        status.withLock { $0.clock = clock }
        let supervisor = Task { await supervise() }
        Task {
            let reason = await ending.value
            supervisor.cancel()
            await conclude(reason)
        }
        for destination in destinations { await destination.decided.value }
        channel.send(.started)
    }

    /// Asks the session to end. Nothing of the desktop is captured from now on.
    package func requestStop() {
        guard ending.set(.asked) else { return }
        pipeline.halt(at: now)
    }

    /// Ends the session, and returns once everything is written and closed.
    package func stop() async -> SessionOutcome {
        requestStop()
        if !status.withLock({ $0.isStarted }) { return SessionOutcome(failure: nil, destinations: []) }
        return await outcome.value
    }

    /// Suspends until the session has ended by itself or was stopped, and everything is written and closed.
    package func ended() async -> SessionOutcome {
        await outcome.value
    }

    /// The session did not begin.
    private func abandon(as state: SessionState, error: SessionError?) async {
        await pipeline.stop(at: .zero)
        await finish(destinations.filter(\.isStarted), .asked)
        change(to: state == .finished ? .finishing : .failed)
        change(to: state)
        conclude(SessionOutcome(failure: error, destinations: snapshot().destinations))
    }

    private func conclude(_ reason: EndReason) async {
        pipeline.halt(at: now)
        change(to: .finishing)
        await pipeline.stop(at: now)
        let isAsked = if case .asked = reason { true } else { false }
        await finish(destinations, isAsked ? .asked : .over)
        let failure: SessionError? = if case .failed(let error) = reason { error } else { nil }
        // A destination that the user removed has ended as asked, however it ended.
        let isWhole = members.withLock { $0.allSatisfy { $0.isLeaving || $0.destination.state == .finished } }
        change(to: failure == nil && isWhole ? .finished : .failed)
        conclude(SessionOutcome(failure: failure, destinations: snapshot().destinations))
    }

    private func conclude(_ result: SessionOutcome) {
        channel.finish()
        outcome.set(result)
    }

    private func startDestinations() async throws(SessionError) {
        for destination in destinations {
            let (stream, rendition) = try await pipeline.attach(destination.queue, for: destination.plan)
            adopt(rendition, for: destination)
            start(destination, stream: stream, rendition: rendition)
        }
    }

    // MARK: State

    /// True if the source is a screen, as opposed to the pictures of a program.
    package var showsScreen: Bool {
        if case .screen = configuration.picture { true } else { false }
    }

    var destinations: [Destination] { members.withLock { $0.map(\.destination) } }

    /// The session's time; zero before it has begun.
    var now: MediaTime { status.withLock { $0.elapsed ?? $0.clock?.now ?? .zero } }

    package var state: SessionState { status.withLock { $0.state } }

    /// Its first destinations have been started.
    var hasBegun: Bool { status.withLock { $0.clock != nil } }

    /// Changes the state if that is possible, and reports it.
    @discardableResult func change(to state: SessionState, from expected: SessionState? = nil) -> Bool {
        guard transition(to: state, from: expected) else { return false }
        channel.send(.state(state))
        return true
    }

    /// Changes the state without a report: what follows from it comes first.
    func transition(to state: SessionState, from expected: SessionState? = nil) -> Bool {
        status.withLock { status in
            guard status.state.allows(state), expected == nil || expected == status.state else { return false }
            status.state = state
            if state == .finishing { status.elapsed = status.clock?.now }
            return true
        }
    }

    /// What the session is doing now. A destination that the user removed is part of it if something came of it, not if it failed.
    package func snapshot() -> SessionSnapshot {
        let shown = members.withLock { members in
            members.filter { !($0.isLeaving && $0.destination.state == .failed) }.map(\.destination)
        }
        let (state, isOver) = status.withLock { ($0.state, $0.elapsed != nil) }
        let now = self.now
        let source = pipeline.source
        var hidden: [SessionSnapshot.HiddenWindows] = []
        if case .screen(let request) = configuration.picture {
            hidden = request.hiddenWindows.matches.map { SessionSnapshot.HiddenWindows(rule: "\($0.rule)", count: $0.windows) }
        }
        return SessionSnapshot(
            state: state, elapsed: now, source: source?.source, sourceSize: source?.sourceSize, isLocked: pipeline.isLocked,
            video: pipeline.renditions.first?.snapshot(at: now, isOver: isOver), app: sound(of: .app), mic: sound(of: .mic),
            hiddenWindows: hidden, destinations: shown.map { $0.snapshot(at: now) })
    }

    private func sound(of track: Track) -> SessionSnapshot.Audio? {
        pipeline.sound(of: track).map {
            SessionSnapshot.Audio(source: $0.name, level: $0.level, drift: $0.drift, isMuted: $0.isMuted)
        }
    }

    // MARK: While it runs

    /// Fits the bitrates to the network, watches the capture thread, reports that figures changed, and ends the session when its time is up.
    private func supervise() async {
        var ticks = 0
        while !Task.isCancelled {
            fitBitrates()
            pipeline.watchSource()
            if ticks > 0, ticks % 2 == 0 { channel.send(.statistics) }
            ticks += 1
            var pause = MediaTime(milliseconds: 250)
            if let duration = configuration.duration {
                let rest = duration - now
                if rest <= .zero { ending.set(.over) }
                pause = max(.zero, min(pause, rest))
            }
            try? await Task.sleep(for: .nanoseconds(pause.nanoseconds))
        }
    }
}

/// How a session ended.
package struct SessionOutcome: Sendable {
    /// Why the session itself failed; nil if it did not. Destinations carry their own errors.
    package var failure: SessionError?
    package var destinations: [SessionSnapshot.Destination]
}
