import Capture
import Concurrency
import Media
import Pipeline
import Session
import Synchronization
import WindowPrivacy

/// A source of numbered pictures that the test controls: each call of `withNextSample` paints the next number.
///
/// The source hangs at the places that `hang` names, as Xlib does when the X server is stopped. What it returns after
/// that was painted after the release.
package final class Stage: Sendable {
    /// Where the source can hang.
    package enum Place: Sendable {
        case opening
        /// Before the picture is painted.
        case sample
        /// After the picture is painted, and before it is returned.
        case delivery
        case rest
    }

    /// A picture that was painted.
    package struct Painting: Sendable {
        package var number: Int
        /// `CLOCK_MONOTONIC` in nanoseconds.
        package var time: Int64
    }

    fileprivate struct State {
        var hangs: Set<Place> = []
        var waiting: Place?
        var paintings: [Painting] = []
        var isStill = false
        var failure: CaptureError?
        var openingFailure: CaptureError?
        var isEnded = false
        var isLocked = false
        var isWithheld = false
        var size = NumberedPicture.size
        var notices: [SourceNotice] = []
        var applications: [ApplicationInformation] = []
        var rests = 0
        var preparations = 0
        var announcesChanges = false
        var isChanged = false
        var looksAgain = false
        var restsWithheld = false
        var isResting = false
        var resumeDelay = MediaTime.zero
        var openSources = 0
        var lookTimes: [MediaTime] = []
        var description = SourceDescription(kind: .application, name: "stage")
    }

    fileprivate let state = Monitor(State())
    /// What opens the source.
    package var picture: PictureRequest {
        .custom(hidesWindows: hidesWindows) { [self] rules throws(CaptureError) in try StageSource(self, rules) }
    }

    /// True if the source applies the session's rules at each look, before it paints.
    private let hidesWindows: Bool

    package init(hidesWindows: Bool = false) {
        self.hidesWindows = hidesWindows
    }

    /// From now on the source hangs there.
    package func hang(_ place: Place) { state.update { _ = $0.hangs.insert(place) } }
    /// It hangs nowhere any more.
    package func release() { state.update { $0.hangs = [] } }
    /// It does not hang there any more.
    package func release(_ place: Place) { state.update { _ = $0.hangs.remove(place) } }
    /// Where the source hangs now; nil if it does not.
    package var waiting: Place? { state.withLock { $0.waiting } }
    /// The next sample throws.
    package func fail(_ error: CaptureError) { state.update { $0.failure = error } }
    /// The opening throws.
    package func refuse(_ error: CaptureError) { state.update { $0.openingFailure = error } }
    /// The source is at its end.
    package func end() { state.update { $0.isEnded = true } }
    package func lock(_ isLocked: Bool) { state.update { $0.isLocked = isLocked } }
    package func withhold(_ isWithheld: Bool) { state.update { $0.isWithheld = isWithheld } }
    /// The source has this size, as a window that was resized.
    package func resize(to size: PixelSize) { state.update { $0.size = size } }
    package func give(_ notice: SourceNotice) { state.update { $0.notices.append(notice) } }
    package func give(_ application: ApplicationInformation) { state.update { $0.applications.append(application) } }
    /// The picture does not change any more.
    package func freeze() { state.update { $0.isStill = true } }
    /// The picture changes only by `change`, and the source waits for that.
    package func announceChanges() { state.update { ($0.isStill, $0.announcesChanges) = (true, true) } }
    /// Like a Wayland desktop, the source has no picture after a rest.
    package func withholdAtRests() { state.update { $0.restsWithheld = true } }
    /// Changes the picture.
    package func change() { state.update { $0.isChanged = true } }
    /// The source returns its still picture at each look, as one in which nothing reported a change.
    package func lookAgain() { state.update { $0.looksAgain = true } }
    /// Changes the picture, and reports nothing.
    package func changeUnnoticed() {
        state.update { $0.paintings.append(.init(number: $0.paintings.count, time: SessionClock.monotonic())) }
    }
    package func rename(_ name: String) { state.update { $0.description.name = name } }

    /// The times for which the source was asked what it shows.
    package var lookTimes: [MediaTime] { state.withLock { $0.lookTimes } }
    package var paintings: [Painting] { state.withLock { $0.paintings } }
    package var lastNumber: Int { state.withLock { $0.paintings.last?.number ?? -1 } }
    /// Ticks in which nothing was painted because nothing may be shown.
    package var rests: Int { state.withLock { $0.rests } }
    /// Ticks after a pause in which the source prepared its next picture.
    package var preparations: Int { state.withLock { $0.preparations } }
    /// The source needs this time after a pause. Set it before the session starts.
    package func delayResume(by delay: MediaTime) { state.update { $0.resumeDelay = delay } }
    /// Sources that exist.
    package var openSources: Int { state.withLock { $0.openSources } }

    /// Blocks the calling thread while the stage hangs there.
    fileprivate func pass(_ place: Place) {
        _ = state.wait(until: nil) { state -> Bool? in
            // The test can request the hang at any moment, so `waiting` is set in the same step.
            if state.hangs.contains(place) {
                state.waiting = place
                return nil
            }
            if state.waiting == place { state.waiting = nil }
            return true
        }
    }
}

/// Used on the capture thread only.
private final class StageSource: ScreenSource {
    private let stage: Stage
    private let rules: HiddenWindowRules
    private var wantsWhole = true

    init(_ stage: Stage, _ rules: HiddenWindowRules) throws(CaptureError) {
        self.stage = stage
        self.rules = rules
        stage.pass(.opening)
        if let error = stage.state.withLock({ $0.openingFailure }) { throw error }
        stage.state.update { $0.openSources += 1 }
    }

    deinit {
        stage.state.update { $0.openSources -= 1 }
    }

    var description: SourceDescription { stage.state.withLock { $0.description } }
    var size: PixelSize { stage.state.withLock { $0.size } }
    var condition: SourceCondition {
        stage.state.withLock {
            $0.isEnded ? .ended : $0.isWithheld || $0.restsWithheld && $0.isResting ? .withheld : .shown
        }
    }
    var isLocked: Bool { stage.state.withLock { $0.isLocked } }

    func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError) -> Result {
        stage.pass(.sample)
        stage.state.update { state in
            state.isResting = false
            state.lookTimes.append(now)
        }
        if let error = stage.state.withLock({ $0.failure }) { throw error }
        rules.apply(revision: rules.revision, processes: [], matches: [:])
        let isRefresh = stage.state.withLock { $0.isStill && !$0.isChanged } && !wantsWhole
        guard !isRefresh || stage.state.withLock(\.looksAgain) else { return body(nil) }
        let number = stage.state.update { state -> Int in
            let isStill = state.isStill && !state.isChanged
            state.isChanged = false
            let number = isStill ? state.paintings.last?.number ?? 0 : state.paintings.count
            if !isStill || state.paintings.isEmpty {
                state.paintings.append(.init(number: number, time: SessionClock.monotonic()))
            }
            return number
        }
        wantsWhole = false
        stage.pass(.delivery)
        let change = CapturedChange(whole: NumberedPicture.paint(number), at: now)
        return body(.lent(isRefresh ? change.asRefresh : change, RawSpan()))
    }

    func requestWholePicture() { wantsWhole = true }

    var canWaitForChange: Bool { stage.state.withLock { $0.announcesChanges } }

    func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool {
        while !wake.isSignalled {
            let now = SessionClock.monotonic()
            if now >= deadline { return false }
            if stage.state.wait(until: min(deadline, now + 5_000_000), for: { $0.isChanged ? true : nil }) ?? false {
                return true
            }
        }
        return false
    }

    var resumeDelay: MediaTime { stage.state.withLock { $0.resumeDelay } }

    func prepare(at now: MediaTime) throws(CaptureError) { stage.state.update { $0.preparations += 1 } }

    func rest(at now: MediaTime) throws(CaptureError) {
        stage.pass(.rest)
        stage.state.update { ($0.rests, $0.isResting) = ($0.rests + 1, true) }
    }

    func takeNotice() -> SourceNotice? {
        stage.state.withLock { $0.notices.isEmpty ? nil : $0.notices.removeFirst() }
    }

    func takeApplicationChange() -> ApplicationInformation? {
        stage.state.withLock { $0.applications.isEmpty ? nil : $0.applications.removeFirst() }
    }
}
