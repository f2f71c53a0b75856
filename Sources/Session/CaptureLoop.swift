import Capture
import Concurrency
import Media
import Synchronization

/// The capture thread: at each tick it asks the source what changed, and composes a frame for each rendition.
///
/// It owns the source from opening to closing.
final class CaptureLoop: Sendable {
    /// What the source turned out to be.
    struct Opening: Sendable {
        var source: SourceDescription
        var sourceSize: PixelSize
        /// Frames a second of its own, if it has a rate.
        var frameRate: Int?
    }

    /// What the thread reports while it runs.
    enum Event: Sendable {
        case application(ApplicationInformation)
        case locked(Bool)
        case notice(SourceNotice)
        /// It shows something else: the focus went to another monitor.
        case source(SourceDescription)
        /// The source has nothing more: a clean end.
        case ended
        case failed(CaptureError)
    }

    private let open: @Sendable () throws(CaptureError) -> any ScreenSource
    private let disclosure: Disclosure
    private let report: @Sendable (Event) -> Void
    /// Set when the pipeline behind is ready; then ticks begin.
    private let gate = Monitor<Gate>(.closed)
    private let renditions = Mutex<[Rendition]>([])
    private let stopping = Atomic(false)
    /// When the thread last began or ended a tick, on the session's clock in nanoseconds.
    private let heartbeat = Atomic<Int64>(0)

    private enum Gate {
        case closed
        case open(SessionClock, frameRate: Int)
        case abandoned
    }

    /// - Parameters:
    ///   - open: opens the source, on the capture thread.
    ///   - report: called on the capture thread. It must not block.
    init(
        open: @escaping @Sendable () throws(CaptureError) -> any ScreenSource, disclosure: Disclosure, report: @escaping @Sendable (Event) -> Void
    ) {
        self.open = open
        self.disclosure = disclosure
        self.report = report
    }

    /// Starts the thread, which opens the source.
    ///
    /// - Returns: the thread, and the result of the opening once it is there. A display that does not answer never gives one.
    func start() -> (NamedThread, Once<Result<Opening, CaptureError>>) {
        let opening = Once<Result<Opening, CaptureError>>()
        let thread = NamedThread(name: "capture") { [self] in
            do throws(CaptureError) {
                let source = try open()
                let opened = Opening(source: source.description, sourceSize: source.size, frameRate: source.nominalFrameRate)
                opening.set(.success(opened))
                run(source, opened)
            } catch {
                opening.set(.failure(error))
            }
        }
        return (thread, opening)
    }

    /// Frames are composed for `rendition` from the next tick on.
    func add(_ rendition: Rendition) {
        renditions.withLock { $0.append(rendition) }
    }

    /// No more frames are composed for `rendition`.
    func remove(_ rendition: Rendition) {
        renditions.withLock { $0.removeAll { $0 === rendition } }
    }

    /// Ticks begin.
    func begin(clock: SessionClock, frameRate: Int) {
        gate.update { if case .closed = $0 { $0 = .open(clock, frameRate: frameRate) } }
    }

    /// The thread ends after the tick that it is in.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        gate.update { if case .closed = $0 { $0 = .abandoned } }
    }

    /// When the thread last gave a sign of life, on the session's clock.
    var lastHeartbeat: MediaTime { MediaTime(nanoseconds: heartbeat.load(ordering: .relaxed)) }

    private func run(_ source: any ScreenSource, _ opened: Opening) {
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
        _ source: any ScreenSource, _ opened: Opening, clock: SessionClock, rate: Int64
    ) throws(CaptureError) {
        var composers: [RenditionComposer] = []
        var index: Int64 = 0
        // A source may change between its opening and the first tick.
        var description = opened.source
        var wasLocked = false
        while !stopping.load(ordering: .relaxed) {
            clock.sleep(until: MediaTime(value: index, timescale: rate))
            // The end may have come meanwhile: nothing is shown after it.
            if stopping.load(ordering: .relaxed) { return }
            // Frames are stamped with their tick, some milliseconds before the grab returns: players want an even cadence, and some of them
            // complain about two frames that are closer than a tick. A tick that was overslept is replaced by a later one.
            index = max(index, clock.now.lastTick(timescale: rate))
            let time = MediaTime(value: index, timescale: rate)
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
            if update(&composers) { source.requestWholePicture() }
            let isWithheld = disclosure.isWithheld(at: time)
            var sample: SampleBuffer?
            // Nothing is grabbed from the request to pause on, though the tick may be just before the pause.
            let requestCount = disclosure.pauses.requestCount
            var mayShow = !isWithheld && !disclosure.pauses.isRequested
            // The source gets the tick's time and not the time of waking up: a file of the same rate gives each tick one frame then.
            if mayShow { sample = try source.nextSample(at: time) } else { try source.rest(at: time) }
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
            if stopping.load(ordering: .relaxed) { return }
            if source.condition == .ended {
                report(.ended)
                return
            }
            if mayShow, disclosure.pauses.requestCount != requestCount {
                // The user asked for a pause during the grab, which may show what was painted after that.
                mayShow = false
                sample = nil
                source.requestWholePicture()
            }
            let isLocked = disclosure.isDesktopLocked.load(ordering: .relaxed) || source.isLocked
            if isLocked != wasLocked { report(.locked(isLocked)) }
            wasLocked = isLocked
            for position in composers.indices {
                composers[position].show(sample, isWithheld: isWithheld || isLocked || source.condition == .withheld, at: time)
            }
            while let notice = source.takeNotice() { report(.notice(notice)) }
            if source.description != description {
                description = source.description
                report(.source(description))
            }
            if mayShow, !isLocked, let application = source.takeApplicationChange() { report(.application(application)) }
            index += 1
        }
    }

    /// Adds renditions that joined and drops those that left. True if one joined: it needs a whole picture first.
    private func update(_ composers: inout [RenditionComposer]) -> Bool {
        let current = renditions.withLock { $0 }
        composers.removeAll { composer in !current.contains { $0 === composer.rendition } }
        let joined = current.filter { rendition in !composers.contains { $0.rendition === rendition } }
        composers += joined.map { RenditionComposer($0) }
        return !joined.isEmpty
    }
}
