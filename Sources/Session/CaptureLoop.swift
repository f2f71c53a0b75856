import Capture
import Media
import Synchronization
import Threads

/// The capture thread: at each tick it asks the source what changed, and composes a frame for each rendition.
///
/// It owns the source from opening to closing.
final class CaptureLoop: Sendable {
    /// What the source turned out to be.
    struct Opening: Sendable {
        var source: SourceDescription
        var sourceSize: PixelSize
        /// Frames a second that it has by itself.
        var frameRate: Int?
    }

    /// What it tells while it runs, on its own thread.
    enum Event: Sendable {
        /// Another application came to the front, or its title changed.
        case application(ApplicationInformation)
        /// The screen was locked, or is no longer.
        case locked(Bool)
        case warning(String)
        /// It shows something else than before: the focus went to another monitor.
        case source(SourceDescription)
        /// The source has nothing more: a clean end.
        case ended
        case failed(CaptureError)
    }

    private let request: PictureRequest
    private let report: @Sendable (Event) -> Void
    /// Set when the pipeline behind is ready; then ticks begin.
    private let gate = Monitor<Gate>(.closed)
    private let renditions = Mutex<[Rendition]>([])
    private let stopping = Atomic(false)
    private let isPaused = Atomic(false)
    /// The desktop says that the screen is locked; the source may know by itself.
    private let isDesktopLocked = Atomic(false)

    private enum Gate {
        case closed
        case open(SessionClock, frameRate: Int)
        case abandoned
    }

    init(request: PictureRequest, report: @escaping @Sendable (Event) -> Void) {
        self.request = request
        self.report = report
    }

    /// Starts the thread and opens the source on it.
    func start() async throws(CaptureError) -> (NamedThread, Opening) {
        try await NamedThread.open(name: "capture") { [self] (opened: (Result<Opening, CaptureError>) -> Void) in
            do throws(CaptureError) {
                let source = try request.open()
                opened(.success(Opening(source: source.description, sourceSize: source.size, frameRate: source.nominalFrameRate)))
                run(source)
            } catch {
                opened(.failure(error))
            }
        }
    }

    /// Frames are composed for `rendition` from the next tick on.
    func add(_ rendition: Rendition) {
        renditions.withLock { $0.append(rendition) }
    }

    func remove(_ rendition: Rendition) {
        renditions.withLock { $0.removeAll { $0 === rendition } }
    }

    /// Lets the ticks begin: time zero is the clock's start.
    func begin(clock: SessionClock, frameRate: Int) {
        gate.update { $0 = .open(clock, frameRate: frameRate) }
    }

    /// The thread ends after the tick that it is in.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        gate.update { if case .closed = $0 { $0 = .abandoned } }
    }

    /// While paused nothing is grabbed, and the privacy slate takes the picture's place.
    func setPaused(_ paused: Bool) {
        isPaused.store(paused, ordering: .relaxed)
    }

    /// While the desktop is locked nothing is grabbed either.
    func setDesktopLocked(_ locked: Bool) {
        isDesktopLocked.store(locked, ordering: .relaxed)
    }

    private func run(_ source: any ScreenSource) {
        let opening = gate.wait { gate -> Gate? in
            if case .closed = gate { return nil }
            return gate
        }
        guard case .open(let clock, let frameRate) = opening else { return }
        do throws(CaptureError) {
            try tick(source, clock: clock, rate: Int64(frameRate))
        } catch {
            report(.failed(error))
        }
    }

    private func tick(_ source: any ScreenSource, clock: SessionClock, rate: Int64) throws(CaptureError) {
        var feeds: [FrameFeed] = []
        var index: Int64 = 0
        var description = source.description
        var wasLocked = false
        while !stopping.load(ordering: .relaxed) {
            clock.sleep(until: MediaTime(value: index, timescale: rate))
            // The end may have come meanwhile: nothing is shown after it.
            if stopping.load(ordering: .relaxed) { return }
            // Frames are stamped with their tick, some milliseconds before the grab returns: players want an even cadence, and two
            // frames closer than a tick make some of them complain. A tick that was overslept has its place taken by a later one.
            index = max(index, clock.now.nanoseconds * rate / 1_000_000_000)
            if follow(&feeds) { source.requestWholePicture() }
            let paused = isPaused.load(ordering: .relaxed)
            let isDesktopLocked = isDesktopLocked.load(ordering: .relaxed)
            var sample: SampleBuffer?
            if paused || isDesktopLocked { try source.rest() } else { sample = try source.nextSample(at: clock.now) }
            if source.condition == .ended {
                report(.ended)
                return
            }
            let isLocked = isDesktopLocked || source.isLocked
            if isLocked != wasLocked { report(.locked(isLocked)) }
            wasLocked = isLocked
            let tickTime = MediaTime(value: index, timescale: rate)
            for position in feeds.indices {
                feeds[position].show(sample, isWithheld: paused || isLocked || source.condition == .withheld, at: tickTime)
            }
            while let warning = source.takeWarning() { report(.warning(warning)) }
            if source.description != description {
                description = source.description
                report(.source(description))
            }
            if !paused, !isLocked, let application = source.takeApplicationChange() { report(.application(application)) }
            index += 1
        }
    }

    /// Takes up renditions that joined and drops those that left. True where one joined, which needs a whole picture to begin with.
    private func follow(_ feeds: inout [FrameFeed]) -> Bool {
        let current = renditions.withLock { $0 }
        feeds.removeAll { feed in !current.contains { $0 === feed.rendition } }
        let joined = current.filter { rendition in !feeds.contains { $0.rendition === rendition } }
        feeds += joined.map { FrameFeed($0) }
        return !joined.isEmpty
    }
}
