import Capture
import Concurrency
import Media
import Pipeline
import Synchronization
import Upload
import WindowPrivacy

/// A broadcast: one run of the pipeline, from the source to all destinations. Thread-safe.
///
///     MediaPipeline ─► PacketQueue ─► Destination ─► SampleHandler
///
/// It reports through a stream of events. No thread of the pipeline waits for the reader of that stream.
package final class BroadcastSession: Sendable {
    /// The events in order, for one reader. If the reader is slow, the oldest events are dropped. The stream ends with
    /// the session.
    package var events: AsyncStream<SessionEvent> { channel.events }

    let configuration: SessionConfiguration
    /// The current rules for hidden windows; nil if the source is not a screen.
    let rules: HiddenWindowRules?
    let pipeline: MediaPipeline
    let channel: EventChannel
    let disclosure: Disclosure
    let destinations: SessionDestinations
    /// Locked while the state and the pause schedule change together.
    let pausing = Mutex(())
    /// Clips are written one after another.
    let clipTurns = Turns()
    private let plans: [DestinationPlan]
    let clock: any Clock<Duration>
    let progress = SessionProgress()
    let ending: Once<EndReason>
    /// Ends the pause of `supervise`.
    private let supervision = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let outcome = Once<SessionOutcome>()

    /// - Parameter clock: measures the waits of destinations between their tries, and the times of `ShutdownTimetable`.
    package init(
        configuration: SessionConfiguration, destinations plans: [DestinationPlan],
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.configuration = configuration
        self.plans = plans
        self.clock = clock
        let channel = EventChannel()
        let ending = Once<EndReason>()
        let disclosure = Disclosure()
        self.channel = channel
        self.ending = ending
        self.disclosure = disclosure
        let rules =
            configuration.media.picture.hidesWindows
            ? HiddenWindowRules(configuration.media.hiddenWindows.rules) : nil
        self.rules = rules
        let pipeline = MediaPipeline(
            configuration: configuration.media, rules: rules, disclosure: disclosure,
            threadLimits: ShutdownTimetable.threads, report: { channel.send($0) },
            onEnd: { ending.set(EndReason($0)) })
        self.pipeline = pipeline
        let waitsForNetwork = configuration.waitsForNetwork
        destinations = SessionDestinations(plans, pipeline: pipeline, clock: clock, ending: ending) {
            [progress, supervision] plan in
            var plan = plan
            plan.waitsForNetwork = waitsForNetwork
            return Destination(plan: plan, clock: clock) { [name = plan.name] event in
                switch event {
                case .notice(let notice): channel.send(.destination(name: name, notice))
                case .comment(let comment): channel.send(SessionEvent.comment(comment, destination: name))
                case .acceptsLess: supervision.continuation.yield()
                case .changed(let destination):
                    channel.send(.destination(destination))
                    if destination.state == .live, progress.transition(to: .live, from: .starting) {
                        channel.send(.state(.live))
                    }
                }
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
            guard try await openPipeline() else {
                // The user stopped it before the source was open.
                await abandon(as: .finished, error: nil)
                return
            }
            channel.send(.opened(pipeline.source?.source))
            try await destinations.startAll()
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
        for destination in destinations.all { await destination.decided.value }
        // A rule that hides no window is reported at the first tick, so that it comes before the report of the start.
        await pipeline.waitForFirstTick()
        channel.send(.started)
    }

    private func openPipeline() async throws(SessionError) -> Bool {
        do throws(PipelineError) {
            return try await pipeline.open(for: plans.map(\.requirements))
        } catch {
            throw .pipeline(error)
        }
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
        await DestinationShutdown(of: destinations.all.filter(\.isStarted), clock: clock).run(.asked)
        change(to: state == .finished ? .finishing : .failed)
        change(to: state)
        conclude(SessionOutcome(failure: error, destinations: snapshot().destinations))
    }

    private func conclude(_ reason: EndReason) async {
        pipeline.halt(at: now)
        change(to: .finishing)
        await pipeline.stop(at: now)
        let isAsked = if case .asked = reason { true } else { false }
        let failure: SessionError? = if case .failed(let error) = reason { error } else { nil }
        // The failure of the session is the reason why a destination has nothing, and is reported.
        await DestinationShutdown(of: destinations.all, clock: clock).run(isAsked || failure != nil ? .asked : .over)
        change(to: failure == nil && destinations.allFinished ? .finished : .failed)
        conclude(SessionOutcome(failure: failure, destinations: snapshot().destinations))
    }

    private func conclude(_ result: SessionOutcome) {
        channel.finish()
        outcome.set(result)
    }

    // MARK: State

    /// True if the source is a desktop, false if it is a file or a program.
    package var showsScreen: Bool { configuration.media.picture.isDesktop }

    /// The session's time; zero before it has begun.
    var now: MediaTime { progress.now }

    package var state: SessionState { progress.state }

    /// Changes the state if that is possible, and reports the change.
    private func change(to state: SessionState) {
        if progress.transition(to: state) { channel.send(.state(state)) }
    }

    /// Returns the current state and figures. A destination that the user removed is included unless it failed.
    package func snapshot() -> SessionSnapshot {
        let (state, isOver) = progress.stateAndEnd
        let source = pipeline.source
        let now = self.now
        let hidden = (rules?.matches ?? []).map {
            SessionSnapshot.HiddenWindows(rule: "\($0.rule)", count: $0.windows)
        }
        let endReason: SourceNotice? = if case .sourceEnded(let reason)? = ending.current { reason } else { nil }
        return SessionSnapshot(
            state: state, elapsed: now, source: source?.source, sourceSize: source?.sourceSize,
            isLocked: pipeline.isLocked,
            isWithheld: pipeline.isWithheld,
            video: pipeline.renditions.first?.figures(at: now, isOver: isOver), app: sound(of: .app),
            mic: sound(of: .mic),
            hiddenWindows: hidden, endReason: endReason,
            destinations: destinations.reported.map { $0.snapshot(at: now) })
    }

    /// The number of different pictures that are encoded.
    package var encoderCount: Int { pipeline.renditions.count }

    private func sound(of track: Track) -> SessionSnapshot.Audio? {
        pipeline.sound(of: track).map {
            SessionSnapshot.Audio(
                source: $0.name, level: $0.level, drift: $0.drift, isMuted: $0.isMuted, problem: $0.problem)
        }
    }

    // MARK: While it runs

    /// How often changed figures are reported.
    private static let figuresInterval = MediaTime(milliseconds: 500)
    /// The least pause of `supervise` if it ends early.
    private static let leastPause = Duration.milliseconds(20)

    /// True if neither the encoders nor the destinations are late.
    private var isCalm: Bool {
        pipeline.renditions.allSatisfy(\.isCalm)
            && destinations.withRenditions.allSatisfy { $0.destination.backlog < MediaTime(milliseconds: 100) }
    }

    /// Fits the bitrates to the network, watches the capture thread, reports changed figures, and ends the session
    /// after its duration. Runs until its task is cancelled.
    private func supervise() async {
        var fitter = BitrateFitter(audioBitrate: configuration.media.audio.bitrate)
        var nextFigures = now + Self.figuresInterval
        var lastWatch = now
        var pause = MediaTime.zero
        var wakes = supervision.stream.makeAsyncIterator()
        while !Task.isCancelled {
            for notice in fitter.fit(pipeline.renditions, to: destinations.withRenditions, at: now) {
                channel.send(notice)
            }
            for rendition in pipeline.renditions {
                if let reduction = rendition.fitLoad(at: now) {
                    channel.send(.encoderReduced(reduction, frameRate: rendition.format.frameRate))
                }
            }
            let time = now
            pipeline.watchSource(overslept: time - lastWatch - pause)
            lastWatch = time
            if now >= nextFigures {
                channel.send(.statistics)
                nextFigures = now + Self.figuresInterval
            }
            pause = isCalm ? Self.figuresInterval : MediaTime(milliseconds: 250)
            if let duration = configuration.duration {
                let rest = duration - now
                if rest <= .zero { ending.set(.over) }
                pause = max(.zero, min(pause, rest))
            }
            let timer = Task { [pause, continuation = supervision.continuation] in
                try await Task.sleep(for: .nanoseconds(pause.nanoseconds))
                continuation.yield()
            }
            _ = await wakes.next()
            timer.cancel()
            // An extension that reports another bitrate all the time does not keep this busy.
            if now - time < pause { try? await Task.sleep(for: Self.leastPause) }
        }
    }
}

/// The result of a session.
package struct SessionOutcome: Sendable {
    /// The error of the session itself; nil if it did not fail. `destinations` contain their own errors.
    package var failure: SessionError?
    package var destinations: [DestinationSnapshot]
}

/// The first reason for the end of a session.
enum EndReason: Sendable {
    /// The user requested it.
    case asked
    /// The duration is over.
    case over
    /// The source has ended; the reason, unless it is the end of a file or of a program's pictures.
    case sourceEnded(SourceNotice?)
    /// All destinations are over.
    case destinationsEnded
    case failed(SessionError)

    init(_ end: PipelineEnd) {
        self =
            switch end {
            case .sourceEnded(let notice): .sourceEnded(notice)
            case .failed(let error): .failed(.pipeline(error))
            }
    }
}
