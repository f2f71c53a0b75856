import Capture
import Media

/// What a source does if pictures do not arrive, or lie outside of its region.
extension PortalScreenSource {
    /// Withholds the picture of a stream that stopped by itself, and reports a picture that is missing for long.
    func watchFlow(of stream: PipeWireStream, at now: MediaTime) {
        let wasFrozen = isFrozen
        isFrozen = stream.silence > limits.answer
        if isFrozen {
            interrupt()
        } else if wasFrozen {
            // The desktop does not send a picture of a still screen again, unless the flow begins anew.
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
