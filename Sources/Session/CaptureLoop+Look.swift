import Capture
import Concurrency
import Media
import Synchronization

/// What the source shows now, and the wait for its next change.
extension CaptureLoop {
    /// False once the session ends, and while the user has requested a pause.
    var mayLook: Bool { !stopping.load(ordering: .relaxed) && !disclosure.pauses.isRequested }

    /// Waits until the source may have changed. Returns false at `end`, a time of `CLOCK_MONOTONIC` in nanoseconds, and soon
    /// after the user has requested a pause or the end.
    func waitForChange(of source: any ScreenSource, until end: Int64, _ clock: SessionClock) -> Bool {
        while source.canWaitForChange, mayLook {
            let now = SessionClock.monotonic()
            guard now < end else { return false }
            if source.waitForChange(until: min(end, now + Self.longestWait)) { return true }
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        }
        return false
    }

    /// Waits for a change from the first of `ticks` to the last one, and looks at each for a pause, the end and a lock of the
    /// desktop. Returns the last tick in which the source announced no change.
    func rest(_ source: any ScreenSource, _ ticks: Range<Int64>, _ rate: Int64, _ clock: SessionClock, isLocked: Bool) -> Int64 {
        for tick in ticks {
            let end = clock.origin + MediaTime(value: tick + 1, timescale: rate).nanoseconds
            if waitForChange(of: source, until: end, clock) { return max(ticks.lowerBound, tick - 1) }
            guard mayLook, disclosure.isDesktopLocked.load(ordering: .relaxed) == isLocked else { return tick }
        }
        return ticks.upperBound - 1
    }

    /// The time in nanoseconds after which a wait for a change looks for a pause or the end.
    private static let longestWait: Int64 = 50_000_000

    /// What a look at the source found.
    struct Look {
        /// What changed.
        var sample: SampleBuffer?
        /// The source was asked, and the user requested no pause meanwhile.
        var mayShow: Bool
        /// The source looked again at pixels in which no change was reported, and some of them differ.
        var isRefreshed = false
        /// The user requested a pause that begins after this tick.
        var isRevoked = false
        var isLocked = false
        /// Viewers get the slate.
        var isWithheld: Bool

        /// The source shows what it showed before.
        var isUnchanged: Bool { mayShow && sample == nil && !isRefreshed && !isWithheld }

        /// Composes pixels in which no change was reported. They are a change only if some of them differ.
        mutating func composeRefresh(with composers: inout [RenditionComposer]) {
            guard mayShow, !isWithheld, let refresh = sample, refresh.isRefresh else { return }
            for position in composers.indices where composers[position].compose(refresh) { isRefreshed = true }
            sample = nil
        }
    }

    /// Asks the source what changed, if that may be shown. Returns nil if the thread must end.
    ///
    /// - Parameters:
    ///   - time: the time of the tick.
    ///   - sampled: the time for the source, which uses it to decide how long hidden windows stay covered.
    func look(
        at source: any ScreenSource, _ time: MediaTime, sampled: MediaTime, _ clock: SessionClock
    ) throws(CaptureError) -> Look? {
        heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        if stopping.load(ordering: .relaxed) { return nil }
        source.noteDesktopLock(disclosure.isDesktopLocked.load(ordering: .relaxed))
        let isWithheld = disclosure.isWithheld(at: time)
        // Grab nothing after a request to pause, also if this tick is before the start of the pause.
        let requestCount = disclosure.pauses.requestCount
        var look = Look(mayShow: !isWithheld && !disclosure.pauses.isRequested, isWithheld: isWithheld)
        if look.mayShow {
            look.sample = try source.nextSample(at: sampled)
        } else if disclosure.isResuming(at: time) {
            try source.prepare(at: sampled)
        } else {
            try source.rest(at: sampled)
        }
        heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        if stopping.load(ordering: .relaxed) { return nil }
        if source.condition == .ended {
            while let notice = source.takeNotice() { report(.notice(notice)) }
            report(.ended)
            return nil
        }
        look.isRevoked = !isWithheld && (!look.mayShow || disclosure.pauses.requestCount != requestCount)
        if look.isRevoked {
            // The user requested a pause before or during the grab, so the grab can show pixels that were drawn after the
            // request. This tick is before the pause, which begins with the next one.
            look.mayShow = false
            look.sample = nil
            source.requestWholePicture()
        }
        look.isLocked = disclosure.isDesktopLocked.load(ordering: .relaxed) || source.isLocked
        look.isWithheld = isWithheld || look.isLocked || source.condition == .withheld
        return look
    }
}
