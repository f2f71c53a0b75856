import Capture
import Media
import Synchronization
import Upload

/// A system broadcast: one run of the whole pipeline, from the screen to all destinations.
///
///     Pipeline ─► PacketQueue ─► Destination ─► SampleHandler
package final class BroadcastSession: Sendable {
    let configuration: SessionConfiguration
    let pipeline: Pipeline
    let observer: @Sendable (SessionEvent) -> Void
    let members = Mutex<[Member]>([])
    private let plans: [DestinationPlan]
    private let status = Mutex(Status())
    private let ending: Ending
    private let application: FrontApplication

    /// A destination, and the encode that serves it.
    struct Member: Sendable {
        var destination: Destination
        var rendition: Rendition?
        var congestion: CongestionController?
        /// Somebody has removed it; it comes to its end.
        var isLeaving = false
    }

    private struct Status {
        var state = SessionState.starting
        var clock: SessionClock?
        /// The session's length, once it ends.
        var elapsed: MediaTime?
    }

    /// - Parameter observer: is told what happens, on whatever thread it happens.
    package init(configuration: SessionConfiguration, destinations plans: [DestinationPlan], observer: @escaping @Sendable (SessionEvent) -> Void) {
        self.configuration = configuration
        self.plans = plans
        self.observer = observer
        let ending = Ending()
        let application = FrontApplication()
        self.ending = ending
        self.application = application
        pipeline = Pipeline(configuration: configuration) { event in
            switch event {
            case .application(var information):
                information.name = configuration.applicationName(information.id)
                application.set(information)
            case .warning(let text): observer(.warning(text))
            case .ended: ending.reach(.over)
            case .failed(let error): ending.reach(.failed(error))
            }
        }
        application.follow { [weak self] information in
            var annotations = ["application": information.id, "applicationTitle": information.title]
            annotations["applicationName"] = information.name
            self?.annotate(annotations)
        }
        members.withLock { members in
            members = plans.map { plan in Member(destination: Destination(plan: plan) { observer(.destination($0)) }) }
        }
    }

    var destinations: [Destination] { members.withLock { $0.map(\.destination) } }

    /// The session's time; zero before it has begun.
    var now: MediaTime { status.withLock { $0.elapsed ?? $0.clock?.now ?? .zero } }

    package var state: SessionState { status.withLock { $0.state } }

    /// Asks the session to end; `run` returns once everything is written and closed.
    package func stop() {
        ending.reach(.asked)
    }

    /// Runs the broadcast from start to end.
    ///
    /// - Returns: the destinations as they ended; each carries its own error.
    /// - Throws: where the picture cannot be had or encoded; destinations are finished all the same.
    package func run() async throws(SessionError) -> [SessionSnapshot.Destination] {
        do throws(SessionError) {
            try await pipeline.open(for: plans)
            try await startDestinations()
        } catch {
            await pipeline.stop(at: .zero)
            await finish(destinations.filter { $0.isStarted })
            change(to: .failed)
            throw error
        }
        let clock = pipeline.begin()
        status.withLock { $0.clock = clock }
        let supervisor = Task { await supervise() }
        let reason = await ending.value
        supervisor.cancel()
        change(to: .finishing)
        await pipeline.stop(at: now)
        let isAsked = if case .asked = reason { true } else { false }
        await finish(destinations, isAsked: isAsked)
        let failure: SessionError? = if case .failed(let error) = reason { error } else { nil }
        // One that was taken away has ended as asked, however.
        let isWhole = members.withLock { $0.allSatisfy { $0.isLeaving || $0.destination.state == .finished } }
        change(to: failure == nil && isWhole ? .finished : .failed)
        if let failure { throw failure }
        return snapshot().destinations
    }

    /// Its first destinations have been started.
    var hasBegun: Bool { status.withLock { $0.clock != nil } }

    private func startDestinations() async throws(SessionError) {
        for destination in destinations {
            let (stream, rendition) = try await pipeline.attach(destination.queue, for: destination.plan)
            members.withLock { members in
                for index in members.indices where members[index].destination === destination { members[index].rendition = rendition }
            }
            start(destination, stream: stream, rendition: rendition)
        }
    }

    /// Lets a destination begin. The session ends by itself once none is left.
    func start(_ destination: Destination, stream: StreamDescription, rendition: Rendition?) {
        destination.start(stream, requestKeyframe: { rendition?.requestKeyframe() })
        Task { [weak self] in
            await destination.waitUntilOver()
            guard let self else { return }
            if destinations.allSatisfy({ $0.state.isOver }) {
                ending.reach(.destinationsEnded)
            } else {
                // Nobody encodes for one that is gone.
                await pipeline.detach(destination.queue, from: rendition)
            }
        }
    }

    /// Changes the state where that is possible, and tells of it.
    @discardableResult func change(to state: SessionState) -> Bool {
        let isNews = status.withLock { status -> Bool in
            guard status.state.allows(state) else { return false }
            status.state = state
            if state == .finishing { status.elapsed = status.clock?.now }
            return true
        }
        if isNews { observer(.state(state)) }
        return isNews
    }

    // MARK: While it runs

    /// Some times a second: goes live when a destination is, fits the bitrates to the network, tells of statistics, and looks at the time.
    private func supervise() async {
        var ticks = 0
        while !Task.isCancelled {
            if state == .starting, destinations.contains(where: { $0.state == .live }) { change(to: .live) }
            fitBitrates()
            if let duration = configuration.duration {
                let rest = duration - now
                if rest <= .zero { ending.reach(.over) }
                if rest < MediaTime(milliseconds: 250) && rest > .zero {
                    try? await Task.sleep(for: .nanoseconds(rest.nanoseconds))
                    ending.reach(.over)
                    return
                }
            }
            // The first second is watched more closely, so that whoever waits for "live" learns it at once.
            ticks += 1
            if ticks <= 20 {
                try? await Task.sleep(for: .milliseconds(25))
            } else {
                if ticks % 2 == 0 { observer(.statistics) }
                try? await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    /// What the session is doing now. A destination that was taken away is part of it where something came of it, and not where it failed.
    package func snapshot() -> SessionSnapshot {
        let shown = members.withLock { members in
            members.filter { !($0.isLeaving && $0.destination.state == .failed) }.map(\.destination)
        }
        let (state, isOver) = status.withLock { ($0.state, $0.elapsed != nil) }
        let now = self.now
        let source = pipeline.source
        return SessionSnapshot(
            state: state, elapsed: now, source: source?.source, sourceSize: source?.sourceSize, isLocked: pipeline.isLocked,
            application: application.value,
            video: pipeline.renditions.first?.snapshot(at: now, isOver: isOver), app: sound(of: .app), mic: sound(of: .mic),
            destinations: shown.map { $0.snapshot(at: now) })
    }

    private func sound(of track: Track) -> SessionSnapshot.Audio? {
        pipeline.sound(of: track).map {
            SessionSnapshot.Audio(source: $0.name, level: $0.level, drift: $0.drift, isMuted: $0.isMuted)
        }
    }
}
