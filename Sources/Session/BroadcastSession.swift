import Capture
import Concurrency
import Destinations
import Media
import Synchronization
import Upload

/// A broadcast: one run of the pipeline, from the source to all destinations. Thread-safe.
///
///     Pipeline ─► PacketQueue ─► Destination ─► SampleHandler
///
/// It reports through a stream of events. No thread of the pipeline waits for the reader of that stream.
package final class BroadcastSession: Sendable {
    /// The events in order, for one reader. If the reader is slow, the oldest events are dropped. The stream ends with the
    /// session.
    package var events: AsyncStream<SessionEvent> { channel.events }

    let configuration: SessionConfiguration
    let pipeline: Pipeline
    let channel: EventChannel
    let disclosure: Disclosure
    let members = Mutex<[Member]>([])
    /// Locked while the state and the pause schedule change together.
    let pausing = Mutex(())
    private let plans: [DestinationPlan]
    let clock: any Clock<Duration>
    let progress = SessionProgress()
    let ending: Once<EndReason>
    private let outcome = Once<SessionOutcome>()

    /// A destination, and the rendition that serves it.
    struct Member: Sendable {
        var destination: Destination
        /// Nil before the start, and for a destination without pictures.
        var rendition: Rendition?
        /// True if the user removed the destination, and it is ending.
        var isLeaving = false
    }

    /// The first reason for the end of a session.
    enum EndReason: Sendable {
        /// The user requested it.
        case asked
        /// The duration is over, or the source has ended.
        case over
        /// All destinations are over.
        case destinationsEnded
        case failed(SessionError)
    }

    /// - Parameter clock: measures the waits of destinations between their tries, and the times of `ShutdownTimetable`.
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
        return Destination(plan: plan, clock: clock) { [weak self, channel, name = plan.name] event in
            switch event {
            case .notice(let notice): channel.send(.destination(name: name, notice))
            case .changed(let destination):
                channel.send(.destination(destination))
                if destination.state == .live { self?.change(to: .live, from: .starting) }
            }
        }
    }

    // MARK: Start and end

    /// Starts the broadcast. Returns when each destination is live or over, or the session has ended.
    ///
    /// - Throws: an error if the source or an encoder cannot be opened. The session is over then.
    package func start() async throws(SessionError) {
        guard progress.markStarted() else { throw .notBegun }
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
        progress.begin(clock)
        let supervisor = Task { await supervise() }
        Task {
            let reason = await ending.value
            supervisor.cancel()
            await conclude(reason)
        }
        for destination in destinations { await destination.decided.value }
        // A rule that hides no window is reported at the first tick, so that it comes before the report of the start.
        await pipeline.waitForFirstTick()
        channel.send(.started)
    }

    /// Requests the end of the session. Nothing of the desktop is captured from now on. Returns at once.
    package func requestStop() {
        guard ending.set(.asked) else { return }
        pipeline.halt(at: now)
    }

    /// Ends the session. Returns when everything is written and closed.
    package func stop() async -> SessionOutcome {
        requestStop()
        if !progress.isStarted { return SessionOutcome(failure: nil, destinations: []) }
        return await outcome.value
    }

    /// Suspends until the session has ended or was stopped, and everything is written and closed.
    package func ended() async -> SessionOutcome {
        await outcome.value
    }

    /// Ends a session that did not begin.
    private func abandon(as state: SessionState, error: SessionError?) async {
        await pipeline.stop(at: .zero)
        await DestinationShutdown(of: destinations.filter(\.isStarted), clock: clock).run(.asked)
        change(to: state == .finished ? .finishing : .failed)
        change(to: state)
        conclude(SessionOutcome(failure: error, destinations: snapshot().destinations))
    }

    private func conclude(_ reason: EndReason) async {
        pipeline.halt(at: now)
        change(to: .finishing)
        await pipeline.stop(at: now)
        let isAsked = if case .asked = reason { true } else { false }
        await DestinationShutdown(of: destinations, clock: clock).run(isAsked ? .asked : .over)
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

    /// True if the source is a desktop, false if it is a file or a program.
    package var showsScreen: Bool { configuration.picture.isDesktop }

    var destinations: [Destination] { members.withLock { $0.map(\.destination) } }

    /// The session's time; zero before it has begun.
    var now: MediaTime { progress.now }

    package var state: SessionState { progress.state }

    /// Changes the state if that is possible, and reports the change. Returns true if the state changed.
    @discardableResult func change(to state: SessionState, from expected: SessionState? = nil) -> Bool {
        guard progress.transition(to: state, from: expected) else { return false }
        channel.send(.state(state))
        return true
    }

    /// Returns the current state and figures. A destination that the user removed is included unless it failed.
    package func snapshot() -> SessionSnapshot {
        let shown = members.withLock { members in
            members.filter { !($0.isLeaving && $0.destination.state == .failed) }.map(\.destination)
        }
        let (state, isOver) = progress.stateAndEnd
        let source = pipeline.source
        let now = self.now
        let hidden = (configuration.picture.hiddenWindows?.matches ?? []).map {
            SessionSnapshot.HiddenWindows(rule: "\($0.rule)", count: $0.windows)
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

    /// Fits the bitrates to the network, watches the capture thread, reports changed figures, and ends the session after
    /// its duration. Runs until its task is cancelled.
    private func supervise() async {
        var fitter = BitrateFitter(audioBitrate: configuration.audio.bitrate)
        var ticks = 0
        while !Task.isCancelled {
            for notice in fitter.fit(pipeline.renditions, to: members.withLock({ $0 }), at: now) { channel.send(notice) }
            for rendition in pipeline.renditions {
                if let reduction = rendition.fitLoad(at: now) { channel.send(.encoderReduced(reduction, frameRate: rendition.format.frameRate)) }
            }
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

/// The result of a session.
package struct SessionOutcome: Sendable {
    /// The error of the session itself; nil if it did not fail. `destinations` contain their own errors.
    package var failure: SessionError?
    package var destinations: [DestinationSnapshot]
}
