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
