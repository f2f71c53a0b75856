import Capture
import Concurrency
import Media
import Synchronization

/// What the source shows now, and the wait for its next change.
extension CaptureLoop {
    /// False once the session ends, and while the user has requested a pause.
    var mayLook: Bool { !stopping.load(ordering: .relaxed) && !disclosure.pauses.isRequested }

    /// Waits until the source may have changed. Returns false at `end`, a time of `CLOCK_MONOTONIC` in nanoseconds, and
    /// if `wake` is signalled.
    func waitForChange(of source: any ScreenSource, until end: Int64, _ clock: SessionClock) -> Bool {
        while source.canWaitForChange, mayLook, !wake.isSignalled {
            let now = SessionClock.monotonic()
            guard now < end else { return false }
            if source.waitForChange(until: min(end, now + Self.heartbeatInterval), or: wake) { return true }
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        }
        return false
    }

    /// Blocks until `time`, or until the session ends.
    func sleep(until time: MediaTime, _ clock: SessionClock) {
        let end = clock.origin + time.nanoseconds
        while case let now = SessionClock.monotonic(), now < end {
            // The next tick reads what other signals are about.
            wake.clear()
            if stopping.load(ordering: .relaxed) { return }
            wake.wait(until: min(end, now + Self.heartbeatInterval))
            heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        }
    }

    /// False while the user or a lock of the desktop withholds the screen, whatever the source shows.
    var mayCapture: Bool { mayLook && !disclosure.isDesktopLocked.load(ordering: .relaxed) }

    /// Waits for a change in `ticks`, or only for `wake` if nothing may be captured. Returns the last tick in which
    /// there was none.
    func rest(_ source: any ScreenSource, _ ticks: Range<Int64>, _ rate: Int64, _ clock: SessionClock) -> Int64 {
        let end = clock.origin + MediaTime(value: ticks.upperBound, timescale: rate).nanoseconds
        let hasChanged = mayCapture && waitForChange(of: source, until: end, clock)
        if !mayCapture { wake.wait(until: end) }
        let current = clock.now.lastTick(timescale: rate)
        return min(max(ticks.lowerBound, hasChanged ? current - 1 : current), ticks.upperBound - 1)
    }

    /// The time in nanoseconds after which a thread that waits for a change shows that it does not hang.
    private static let heartbeatInterval: Int64 = 500_000_000

    /// What a look at the source found.
    struct Look {
        /// The source returned a sample, other than a composed one in which no change was reported.
        var hasChange = false
        /// The source was asked, and the user requested no pause meanwhile.
        var mayShow: Bool
        /// The source looked again at pixels in which no change was reported, and some of them differ.
        var isRefreshed = false
        /// The user requested a pause that begins after this tick.
        var isRevoked = false
        var isLocked = false
        /// The source is less than two pixels wide or high.
        var isTooSmall = false
        /// Viewers get the slate.
        var isWithheld: Bool
        /// The screen is locked, or the source shows nothing, outside of a pause.
        var isSourceWithheld = false

        /// The source shows what it showed before.
        var isUnchanged: Bool { mayShow && !hasChange && !isRefreshed && !isWithheld }

        /// Composes what the source lends, if it may be shown. Pixels in which no change was reported are a change only
        /// if some of them differ.
        mutating func compose(_ sample: CapturedSample, with composers: inout [RenditionComposer]) {
            guard mayShow else { return }
            let isRefresh = sample.change.isRefresh
            hasChange = isWithheld || !isRefresh
            guard !isWithheld else { return }
            for position in composers.indices where composers[position].compose(sample) && isRefresh {
                isRefreshed = true
            }
        }
    }

    /// Asks the source what changed, if that may be shown, and composes it. Returns nil if the thread must end.
    ///
    /// - Parameters:
    ///   - time: the time of the tick.
    ///   - sampled: the time for the source, which uses it to decide how long hidden windows stay covered.
    func look(
        at source: any ScreenSource, _ time: MediaTime, sampled: MediaTime, _ clock: SessionClock,
        composing composers: inout [RenditionComposer]
    ) throws(CaptureError) -> Look? {
        heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        if stopping.load(ordering: .relaxed) { return nil }
        source.noteDesktopLock(disclosure.isDesktopLocked.load(ordering: .relaxed))
        let isWithheld = disclosure.isWithheld(at: time)
        // Grab nothing after a request to pause, also if this tick is before the start of the pause.
        let requestCount = disclosure.pauses.requestCount
        let isAsked = !isWithheld && !disclosure.pauses.isRequested
        let look: Look?
        if isAsked {
            look = try source.withNextSample(at: sampled) { sample in
                var look = judge(
                    source, Look(mayShow: true, isWithheld: isWithheld), requestCount: requestCount, clock)
                if let sample { look?.compose(sample, with: &composers) }
                return look
            }
        } else {
            if disclosure.isResuming(at: time) {
                try source.prepare(at: sampled)
            } else {
                try source.rest(at: sampled)
            }
            look = judge(source, Look(mayShow: false, isWithheld: isWithheld), requestCount: requestCount, clock)
        }
        if let look, look.isRevoked { source.requestWholePicture() }
        return look
    }

    /// Decides whether what the source has now may be shown. Returns nil if the thread must end.
    ///
    /// - Parameters:
    ///   - asked: whether the source was asked, and whether the tick is in a pause.
    ///   - requestCount: the number of requests to pause before the source was asked.
    private func judge(
        _ source: any ScreenSource, _ asked: Look, requestCount: Int, _ clock: SessionClock
    ) -> Look? {
        var look = asked
        heartbeat.store(clock.now.nanoseconds, ordering: .relaxed)
        if stopping.load(ordering: .relaxed) { return nil }
        if source.condition == .ended {
            while let notice = source.takeNotice() { report(.notice(notice)) }
            report(.ended)
            return nil
        }
        look.isRevoked = !look.isWithheld && (!look.mayShow || disclosure.pauses.requestCount != requestCount)
        if look.isRevoked {
            // The user requested a pause before or during the grab, so the grab can show pixels that were drawn after
            // the request. This tick is before the pause, which begins with the next one.
            look.mayShow = false
        }
        look.isLocked = disclosure.isDesktopLocked.load(ordering: .relaxed) || source.isLocked
        look.isTooSmall = look.mayShow && source.condition == .shown && source.size.isTooSmall
        look.isSourceWithheld = look.mayShow && (look.isLocked || look.isTooSmall || source.condition == .withheld)
        look.isWithheld = look.isWithheld || look.isLocked || look.isTooSmall || source.condition == .withheld
        return look
    }
}
