import Capture
import Concurrency
import Media

/// The wait for pictures, and what a source does if they do not arrive, or lie outside of its region.
extension PortalScreenSource {
    package var canWaitForChange: Bool { if case .running = phase { true } else { false } }

    package func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool {
        guard case .running = phase, let stream else { return false }
        while true {
            let limit = deadline - SessionClock.monotonic()
            guard limit > 0, stream.waitForNews(within: MediaTime(nanoseconds: limit), or: wake) else { return false }
            // Some compositors send the same picture again and again.
            picture.take(from: stream)
            if picture.hasChanges { return true }
        }
    }

    /// A compositor sends its first picture some tens of milliseconds after the flow begins.
    package var resumeDelay: MediaTime { MediaTime(milliseconds: 200) }

    package func prepare(at now: MediaTime) throws(CaptureError) {
        applyRules()
        try follow(at: now)
        guard case .running = phase, let stream, !isWithheldByRules else { return }
        stream.setActive(true)
        picture.take(from: stream)
    }

    /// Withholds the picture of a stream that stopped by itself, and reports a picture that is missing for long.
    func watchFlow(of stream: PipeWireStream, at now: MediaTime) {
        let wasFrozen = isFrozen
        isFrozen = stream.silence > limits.answer
        if isFrozen {
            interrupt()
        } else if wasFrozen {
            // The desktop sends no new picture of a still screen, so restart the flow.
            stream.setActive(false)
        } else if stream.state == .streaming {
            pausedSince = nil
        } else {
            let since = pausedSince ?? now
            pausedSince = since
            if now - since > limits.interruption, condition == .shown || picture.hasPicture { interrupt() }
        }
        let changes = outputs?.changes(of: mapping) ?? 0
        if reshapedFlow.isSilent(changes: changes, pictures: picture.count, at: now, limit: limits.reshaping) {
            stream.setActive(false)
        }
        guard !picture.hasPicture else {
            (missingSince, isMissingReported, isInterrupted) = (nil, false, false)
            return
        }
        condition = .withheld
        let since = missingSince ?? now
        missingSince = since
        if stream.keepsFlow, now - since > limits.lostPicture {
            missingSince = nil
            return recoverLostPicture()
        }
        guard now - since > limits.noPicture, !isMissingReported, !isInterrupted else { return }
        isMissingReported = true
        notices.append(.noPictureYet)
    }

    private func interrupt() {
        picture.clear()
        condition = .withheld
        if !isInterrupted { notices.append(.sharingInterrupted) }
        isInterrupted = true
    }

    func noteOutside(_ outside: Bool) {
        if outside {
            condition = .withheld
            if !isOutside { notices.append(.outsideScreen) }
        } else if isOutside {
            picture.requestWhole()
        }
        isOutside = outside
    }
}

/// Tells a flow that stopped at a change of the monitor's size from a still screen.
///
/// Hyprland's portal (1.4) asks for no further picture if the size changes while it waits for one, and reports nothing.
/// A still screen sends one picture in the new size. One pause of the flow brings the next picture in both cases.
package struct ReshapedFlow {
    private var changes: UInt32 = 0
    /// When the last change was noted; nil if it is settled.
    private var changed: MediaTime?
    private var pictures = 0
    private var lastPicture = MediaTime.zero

    package init() {}

    /// Returns true, once for each change, if no picture has arrived for half of `limit`. It looks from `limit` to three times
    /// that time after the change.
    ///
    /// - Parameters:
    ///   - changes: how often the monitor was described, the first time included; 0 if nothing is known yet.
    ///   - pictures: how many pictures have arrived.
    package mutating func isSilent(changes: UInt32, pictures: Int, at now: MediaTime, limit: MediaTime) -> Bool {
        if pictures != self.pictures { lastPicture = now }
        self.pictures = pictures
        if changes != self.changes, self.changes != 0 { changed = now }
        self.changes = changes
        guard let time = changed, now - time > limit else { return false }
        let isSilent = now - lastPicture > MediaTime(nanoseconds: limit.nanoseconds / 2)
        if isSilent || now - time > limit + limit + limit { changed = nil }
        return isSilent
    }
}
