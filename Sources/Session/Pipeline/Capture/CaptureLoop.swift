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
            try tick(source, opened, clock: clock, rate: Int64(frameRate))
        } catch {
            if !stopping.load(ordering: .relaxed) { report(.failed(error)) }
        }
    }

    private func tick(
        _ source: any ScreenSource, _ opened: OpenedSource, clock: SessionClock, rate: Int64
    ) throws(CaptureError) {
        var composers: [RenditionComposer] = []
        var index: Int64 = 0
        // The source can change between its opening and the first tick.
        var description = opened.source
        var wasLocked = false
        var wasWithheld = false
        var wasTooSmall = false
        var wasSourceWithheld = false
        var phase = ChangePhase(interval: MediaTime(value: 1, timescale: rate))
        var idle = IdleRest(frameRate: rate)
        var lastTick: MediaTime?
        // The last picture is shown up to the last tick, also if nothing changed in it: without a frame there, a stream
        // with variable pacing would not last as long as the broadcast.
        defer { if let lastTick { for position in composers.indices { composers[position].end(at: lastTick) } } }
        while !stopping.load(ordering: .relaxed) {
            sleep(until: MediaTime(value: index, timescale: rate), clock)
            wake.clear()
            // Grab nothing after the end of the session.
            if stopping.load(ordering: .relaxed) { return }
            // The time of a frame is the time of its tick, some milliseconds before the grab returns. Players need an
            // even cadence, and some of them report errors if two frames are closer than a tick. A later tick replaces
            // a missed one.
            index = max(index, clock.now.lastTick(timescale: rate))
            let time = MediaTime(value: index, timescale: rate)
            if update(&composers) { source.requestWholePicture() }
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
            let delay = phase.delay(at: time)
            if let delay { sleep(until: time + delay, clock) }
            if stopping.load(ordering: .relaxed) { return }
            // Pass the time of the tick and not the current time, so that a file of the same rate returns one frame per
            // tick.
            guard
                var look = try look(
                    at: source, time, sampled: delay == nil ? time : clock.now, clock, composing: &composers)
            else { return }
            lastTick = time
            let hadChange = look.hasChange
            phase.noteTick(at: time, hadChange: hadChange)
            // If nothing has changed, a change before the next tick is still the picture of this one. So it is sent at
            // once, and a source that paints at the rate of the ticks loses no picture, whatever its phase.
            let nextTick = clock.origin + MediaTime(value: index + 1, timescale: rate).nanoseconds
            while look.isUnchanged, !composers.contains(where: \.isAwaitingPicture),
                waitForChange(of: source, until: nextTick, clock)
            {
                guard
                    let next = try self.look(at: source, time, sampled: clock.now, clock, composing: &composers)
                else { return }
                look = next
            }
            if look.isLocked != wasLocked {
                report(.locked(look.isLocked))
                // What changed while viewers saw the slate is not known.
                source.requestWholePicture()
            }
            wasLocked = look.isLocked
            if look.isSourceWithheld != wasSourceWithheld { report(.withheld(look.isSourceWithheld)) }
            wasSourceWithheld = look.isSourceWithheld
            for position in composers.indices {
                if look.isRevoked && !look.isLocked {
                    // Viewers of a slate get no picture: the composer's can be from before an earlier pause.
                    composers[position].hold(at: time)
                } else {
                    composers[position].show(
                        isWithheld: look.isWithheld, rules: rules?.appliedRevision ?? 0, at: time)
                }
            }
            while let notice = source.takeNotice() { report(.notice(notice)) }
            if look.isTooSmall, !wasTooSmall { report(.notice(.tooSmall(source.size))) }
            wasTooSmall = look.isTooSmall
            if source.description != description {
                description = source.description
                report(.source(description))
            }
            if look.mayShow, !look.isLocked, mayLook, let application = source.takeApplicationChange() {
                report(.application(application))
            }
            firstTick.set(())
            if hadChange {
                phase.noteChange(after: waitForChange(of: source, until: nextTick, clock) ? clock.now - time : nil)
            }
            let nextFrames = composers.map(\.nextFrame)
            let nextFrame = nextFrames.contains(nil) ? nil : nextFrames.compactMap(\.self).min()
            let isStill =
                look.isUnchanged || look.isWithheld && wasWithheld && !mayCapture && !disclosure.isResuming(at: time)
            wasWithheld = look.isWithheld
            if source.canWaitForChange, let ticks = idle.ticks(at: time, isChanged: !isStill, nextFrame: nextFrame) {
                // Nothing changes in the ticks of the rest.
                let last = rest(source, index..<index + ticks, rate, clock)
                lastTick = MediaTime(value: last, timescale: rate)
            }
            index += 1
        }
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
