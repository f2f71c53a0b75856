import Capture
import Concurrency
import Media
import Mix
import Synchronization
import WindowPrivacy

/// The capture thread. At each tick, it requests the changes from the source and composes a frame for each rendition.
///
/// The thread opens, uses and closes the source.
final class CaptureLoop: Sendable {
    /// The thread's reports.
    enum Event: Sendable {
        case application(ApplicationInformation)
        case locked(Bool)
        /// Viewers get the slate for another reason than a pause, or no more.
        case withheld(Bool)
        case notice(SourceNotice)
        /// The source shows something else, for example another monitor after a change of the focus.
        case source(SourceDescription)
        /// The source has no more pictures. This is not an error.
        case ended
        case failed(CaptureError)
    }

    private let open: @Sendable (SourceOpening) throws(CaptureError) -> any ScreenSource
    let disclosure: Disclosure
    /// The rules that the source applies; nil if it shows no desktop.
    private let rules: HiddenWindowRules?
    let report: @Sendable (Event) -> Void
    /// Opened when the rest of the pipeline is ready. Ticks start then.
    private let gate = Monitor<Gate>(.closed)
    private let renditions = Mutex<[Rendition]>([])
    let stopping = Atomic(false)
    /// Ends a wait for a change. Signalled after each change of what the thread reads at a tick.
    let wake = WakeSignal()
    /// Set after the first tick and its reports, or when the thread ends.
    private let firstTick = Once<Void>()
    /// The session's time in nanoseconds at which the thread last started or ended a tick.
    let heartbeat = Atomic<Int64>(0)

    private enum Gate {
        case closed
        case open(SessionClock, frameRate: Int)
        case abandoned
    }

    /// - Parameters:
    ///   - open: opens the source, on the capture thread.
    ///   - report: called on the capture thread. It must not block.
    init(
        open: @escaping @Sendable (SourceOpening) throws(CaptureError) -> any ScreenSource, disclosure: Disclosure,
        rules: HiddenWindowRules? = nil, report: @escaping @Sendable (Event) -> Void
    ) {
        self.open = open
        self.disclosure = disclosure
        self.rules = rules
        self.report = report
    }

    /// Starts the thread, which opens the source.
    ///
    /// - Returns: the thread, and the result of the opening. If the display does not answer, the result is never set.
    func start() -> (NamedThread, Once<Result<OpenedSource, CaptureError>>) {
        let opening = Once<Result<OpenedSource, CaptureError>>()
        let thread = NamedThread(name: "capture") { [self] in
            do throws(CaptureError) {
                let source = try open(
                    SourceOpening(
                        isCancelled: { [self] in stopping.load(ordering: .relaxed) },
                        notify: { [self] in report(.notice($0)) }))
                let opened = OpenedSource(
                    source: source.description, sourceSize: source.size, frameRate: source.nominalFrameRate,
                    resumeDelay: source.resumeDelay)
                opening.set(.success(opened))
                run(source, opened)
            } catch {
                opening.set(.failure(error))
            }
            firstTick.set(())
        }
        return (thread, opening)
    }

    /// Starts to compose frames for `rendition` at the next tick.
    func add(_ rendition: Rendition) {
        renditions.withLock { $0.append(rendition) }
        wake.signal()
    }

    /// Stops composing frames for `rendition`.
    func remove(_ rendition: Rendition) {
        renditions.withLock { $0.removeAll { $0 === rendition } }
        wake.signal()
    }

    /// Starts the ticks.
    func begin(clock: SessionClock, frameRate: Int) {
        gate.update { if case .closed = $0 { $0 = .open(clock, frameRate: frameRate) } }
    }

    /// Ends the thread after its current tick. Returns at once.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        wake.signal()
        gate.update { if case .closed = $0 { $0 = .abandoned } }
    }

    /// Ends a wait for a change, after a change of what may be shown: a pause or its end, a lock or its end, a rule for
    /// windows.
    func noteDisclosure() {
        wake.signal()
    }

    /// Suspends until the first tick and its reports, or until the thread has ended, for at most `limit`.
    func waitForFirstTick(within limit: Duration) async {
        _ = await firstTick.value(within: limit)
    }

    /// The session's time at which the thread last started or ended a tick.
    var lastHeartbeat: MediaTime { MediaTime(nanoseconds: heartbeat.load(ordering: .relaxed)) }

    private func run(_ source: any ScreenSource, _ opened: OpenedSource) {
        let opening = gate.wait { gate -> Gate? in
            if case .closed = gate { return nil }
            return gate
        }
        guard case .open(let clock, let frameRate) = opening else { return }
        do throws(CaptureError) {
            try run(source, opened, clock: clock, rate: Int64(frameRate))
        } catch {
            if !stopping.load(ordering: .relaxed) { report(.failed(error)) }
        }
    }

    /// The state of the thread from one tick to the next.
    private struct Progress {
        var ticks: TickSchedule
        var composers: [RenditionComposer] = []
        var reported: Reported
        /// The last tick that was looked at, or that a rest has passed.
        var lastTick: MediaTime?

        /// The last picture is shown up to the last tick, also if nothing changed in it: without a frame there, a
        /// stream with variable pacing would not last as long as the broadcast.
        mutating func end() {
            guard let lastTick else { return }
            for position in composers.indices { composers[position].end(at: lastTick) }
        }
    }

    /// What was reported about the source, so that only changes are.
    private struct Reported {
        /// The source can change between its opening and the first tick.
        var description: SourceDescription
        var isLocked = false
        var isSourceWithheld = false
        var isTooSmall = false
        /// True if viewers got the slate at the last tick.
        var isWithheld = false
    }

    private func run(
        _ source: any ScreenSource, _ opened: OpenedSource, clock: SessionClock, rate: Int64
    ) throws(CaptureError) {
        var progress = Progress(ticks: TickSchedule(rate: rate), reported: Reported(description: opened.source))
        defer { progress.end() }
        while !stopping.load(ordering: .relaxed) {
            sleep(until: progress.ticks.time, clock)
            wake.clear()
            // Grab nothing after the end of the session.
            if stopping.load(ordering: .relaxed) { return }
            progress.ticks.begin(at: clock.now)
            if update(&progress.composers) { source.requestWholePicture() }
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
            guard let (look, hadChange) = try self.look(at: source, clock, &progress) else { return }
            let time = progress.ticks.time
            reportState(of: look, source, &progress.reported)
            show(look, with: &progress.composers, at: time)
            reportNews(of: look, source, &progress.reported)
            firstTick.set(())
            if hadChange {
                let isChanged = waitForChange(of: source, until: clock.origin + progress.ticks.end.nanoseconds, clock)
                progress.ticks.noteChange(at: isChanged ? clock.now : nil)
            }
            rest(after: look, source, clock, &progress)
            progress.ticks.advance()
        }
    }

    /// Looks at the source for this tick, until there is a change or the tick ends. Returns what was found last, and
    /// whether the first look found a change; nil if the thread must end.
    private func look(
        at source: any ScreenSource, _ clock: SessionClock, _ progress: inout Progress
    ) throws(CaptureError) -> (Look, hadChange: Bool)? {
        let time = progress.ticks.time
        let later = progress.ticks.lateLook()
        if let later { sleep(until: later, clock) }
        if stopping.load(ordering: .relaxed) { return nil }
        // Pass the time of the tick and not the current time, so that a file of the same rate returns one frame per
        // tick.
        let sampled = later == nil ? time : clock.now
        guard var look = try self.look(at: source, time, sampled: sampled, clock, composing: &progress.composers) else {
            return nil
        }
        progress.lastTick = time
        let hadChange = look.hasChange
        progress.ticks.noteLook(hadChange: hadChange)
        // If nothing has changed, a change before the next tick is still the picture of this one. So it is sent at
        // once, and a source that paints at the rate of the ticks loses no picture, whatever its phase.
        let end = clock.origin + progress.ticks.end.nanoseconds
        while look.isUnchanged, !progress.composers.contains(where: \.isAwaitingPicture),
            waitForChange(of: source, until: end, clock)
        {
            guard
                let next = try self.look(at: source, time, sampled: clock.now, clock, composing: &progress.composers)
            else { return nil }
            look = next
        }
        return (look, hadChange)
    }

    /// Reports whether the source may be shown, before viewers see it.
    private func reportState(of look: Look, _ source: any ScreenSource, _ reported: inout Reported) {
        if look.isLocked != reported.isLocked {
            report(.locked(look.isLocked))
            // What changed while viewers saw the slate is not known.
            source.requestWholePicture()
        }
        reported.isLocked = look.isLocked
        if look.isSourceWithheld != reported.isSourceWithheld { report(.withheld(look.isSourceWithheld)) }
        reported.isSourceWithheld = look.isSourceWithheld
    }

    /// Gives each rendition its frame.
    private func show(_ look: Look, with composers: inout [RenditionComposer], at time: MediaTime) {
        for position in composers.indices {
            if look.isRevoked && !look.isLocked {
                // Viewers of a slate get no picture: the composer's can be from before an earlier pause.
                composers[position].hold(at: time)
            } else {
                composers[position].show(isWithheld: look.isWithheld, rules: rules?.appliedRevision ?? 0, at: time)
            }
        }
    }

    /// Reports what the source says about itself.
    private func reportNews(of look: Look, _ source: any ScreenSource, _ reported: inout Reported) {
        while let notice = source.takeNotice() { report(.notice(notice)) }
        if look.isTooSmall, !reported.isTooSmall { report(.notice(.tooSmall(source.size))) }
        reported.isTooSmall = look.isTooSmall
        if source.description != reported.description {
            reported.description = source.description
            report(.source(source.description))
        }
        let revision = rules?.appliedRevision ?? 0
        if look.mayShow, !look.isLocked, mayLook, var application = source.takeApplicationChange() {
            application.rules = revision
            report(.application(application))
        }
    }

    /// Lets ticks pass in which nothing has to be looked at.
    private func rest(after look: Look, _ source: any ScreenSource, _ clock: SessionClock, _ progress: inout Progress) {
        let time = progress.ticks.time
        let nextLooks = progress.composers.map(\.nextLook)
        let nextLook = nextLooks.contains(nil) ? nil : nextLooks.compactMap(\.self).min()
        let isStill =
            look.isUnchanged
            || look.isWithheld && progress.reported.isWithheld && !mayCapture && !disclosure.isResuming(at: time)
        progress.reported.isWithheld = look.isWithheld
        guard source.canWaitForChange, let ticks = progress.ticks.rest(isStill: isStill, nextLook: nextLook) else {
            return
        }
        let rate = progress.ticks.rate
        // This tick has its frame.
        let following = ticks.lowerBound + 1..<ticks.upperBound
        for composer in progress.composers { composer.rest(following, rate: rate, origin: clock.origin) }
        // Nothing changes in the ticks of the rest.
        let lastUnchanged = rest(source, ticks, rate, clock)
        // The frames of all renditions go on after the same tick.
        var last = progress.composers.compactMap(\.lastRestTick).reduce(lastUnchanged, max)
        for position in progress.composers.indices {
            last = max(last, progress.composers[position].endRest(after: last, rate: rate))
        }
        progress.ticks.pass(last)
        progress.lastTick = MediaTime(value: last, timescale: rate)
    }

    /// Updates the list of renditions. Returns true if a rendition joined, which needs a whole picture first.
    private func update(_ composers: inout [RenditionComposer]) -> Bool {
        let current = renditions.withLock { $0 }
        composers.removeAll { composer in !current.contains { $0 === composer.rendition } }
        let joined = current.filter { rendition in !composers.contains { $0.rendition === rendition } }
        composers += joined.map { RenditionComposer($0) }
        return !joined.isEmpty
    }
}
