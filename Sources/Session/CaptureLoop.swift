import Capture
import Media
import Mix
import Synchronization

/// The capture thread: at each tick it asks the source what changed, composes the frame and leaves it for the encoder.
///
/// It owns the source from opening to closing.
final class CaptureLoop: Sendable {
    /// What the source turned out to be.
    struct Opening: Sendable {
        var source: SourceDescription
        var sourceSize: PixelSize
    }

    private let configuration: SessionConfiguration
    private let mailbox: FrameMailbox
    /// Set when the pipeline behind is ready; then ticks begin.
    private let gate = Monitor<Gate>(.closed)
    private let onApplication: @Sendable (ApplicationInformation) -> Void
    private let stopping = Atomic(false)
    private let isSettled = Atomic(false)
    private let isPaused = Atomic(false)
    private let capturedFrames = Atomic(0)

    private enum Gate {
        case closed
        case open(SessionClock, outputSize: PixelSize, pacing: FramePacer.Mode)
        case abandoned
    }

    /// - Parameter onApplication: is told when another application comes to the front, or its title changes.
    init(
        configuration: SessionConfiguration, mailbox: FrameMailbox, onApplication: @escaping @Sendable (ApplicationInformation) -> Void
    ) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.onApplication = onApplication
    }

    /// Frames that differed from the one before.
    var capturedCount: Int { capturedFrames.load(ordering: .relaxed) }

    /// Starts the thread and opens the source on it.
    ///
    /// - Parameter onFailure: is told when the source is lost later.
    func start(onFailure: @escaping @Sendable (CaptureError) -> Void) async -> (NamedThread, Result<Opening, CaptureError>) {
        let thread = Mutex<NamedThread?>(nil)
        let result = await withCheckedContinuation { (opened: CheckedContinuation<Result<Opening, CaptureError>, Never>) in
            let started = NamedThread(name: "capture") { [self] in
                do throws(CaptureError) {
                    let source = try configuration.picture.open()
                    opened.resume(returning: .success(Opening(source: source.description, sourceSize: source.size)))
                    run(source, onFailure: onFailure)
                } catch {
                    opened.resume(returning: .failure(error))
                }
            }
            thread.withLock { $0 = started }
        }
        let started = thread.withLock { $0 }
        return (started ?? NamedThread(name: "capture") {}, result)
    }

    /// Lets the ticks begin: time zero is the clock's start.
    func begin(clock: SessionClock, outputSize: PixelSize, pacing: FramePacer.Mode) {
        gate.update { $0 = .open(clock, outputSize: outputSize, pacing: pacing) }
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

    /// The encoder says whether the last picture needs no more encoding.
    func noteSettled(_ settled: Bool) {
        isSettled.store(settled, ordering: .relaxed)
    }

    private func run(_ source: any ScreenSource, onFailure: @Sendable (CaptureError) -> Void) {
        let opening = gate.wait { gate -> Gate? in
            if case .closed = gate { return nil }
            return gate
        }
        guard case .open(let clock, let outputSize, let pacing) = opening else { return }
        defer { mailbox.close() }
        do throws(CaptureError) {
            try tick(source, clock: clock, composer: FrameComposer(outputSize: outputSize), pacer: FramePacer(mode: pacing))
        } catch {
            onFailure(error)
        }
    }

    private func tick(
        _ source: any ScreenSource, clock: SessionClock, composer: FrameComposer, pacer: FramePacer
    ) throws(CaptureError) {
        var composer = composer
        var pacer = pacer
        let rate = Int64(configuration.frameRate)
        var index: Int64 = 0
        var showsSlate = false
        while !stopping.load(ordering: .relaxed) {
            clock.sleep(until: MediaTime(value: index, timescale: rate))
            // The end may have come meanwhile: nothing is shown after it.
            if stopping.load(ordering: .relaxed) { return }
            // Frames are stamped with their tick, some milliseconds before the grab returns: players want an even cadence, and two
            // frames closer than a tick make some of them complain. A tick that was overslept has its place taken by a later one.
            index = max(index, clock.now.nanoseconds * rate / 1_000_000_000)
            let tickTime = MediaTime(value: index, timescale: rate)
            let paused = isPaused.load(ordering: .relaxed)
            var frame: SampleBuffer?
            if paused {
                if !showsSlate {
                    _ = mailbox.takeBack()
                    frame = PrivacySlate.sample(size: composer.outputSize, at: clock.now)
                }
            } else {
                frame = try source.nextSample(at: clock.now).flatMap { composer.compose($0, replacing: mailbox.takeBack()) }
                // The encoder saw the slate last: it is given the whole picture, changed or not.
                if showsSlate { frame = composer.wholeFrame(at: clock.now) }
                if let application = source.takeApplicationChange() { onApplication(application) }
            }
            showsSlate = paused
            show(frame, at: tickTime, pacer: &pacer)
            index += 1
        }
    }

    /// Leaves the tick's frame, or word that there is none, for the encoder.
    private func show(_ frame: SampleBuffer?, at time: MediaTime, pacer: inout FramePacer) {
        guard pacer.shows(at: time, isChanged: frame != nil, isSettled: isSettled.load(ordering: .relaxed)) else { return }
        if let frame {
            capturedFrames.add(1, ordering: .relaxed)
            mailbox.put(SampleBuffer(track: frame.track, presentationTime: time, payload: frame.payload))
        } else {
            mailbox.putUnchanged(at: time)
        }
    }
}
