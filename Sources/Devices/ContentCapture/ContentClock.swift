import Concurrency
import Media

/// The common timeline of an application's pictures and sound. It determines when a position of the content is due.
///
/// Both count their position in frames, from zero. Position zero of both has the same time, and a stall of one moves
/// the rest of both by the same duration, so they stay in sync.
package final class ContentClock: Sendable {
    /// True if the first picture determines the time of position zero; otherwise the first sound does.
    let hasPictures: Bool
    /// The time of position zero on the session's clock. Nil before the first picture or sound.
    private let origin = Monitor<MediaTime?>(nil)

    package init(hasPictures: Bool = false) {
        self.hasPictures = hasPictures
    }

    /// The time at which `position` is due, or nil if the content has not begun.
    package func time(of position: MediaTime) -> MediaTime? {
        origin.withLock { $0.map { $0 + position } }
    }

    /// Gives position zero the time `time`. Has no effect if the content has begun.
    package func begin(at time: MediaTime) {
        origin.update { if $0 == nil { $0 = time } }
    }

    /// Waits until the content begins, for at most 50 ms.
    func waitForBegin() {
        _ = origin.wait(until: SessionClock.monotonic() + 50_000_000) { $0 }
    }

    /// Makes `position` due at `now`, and everything after it later by the same duration, if it was due earlier. Call
    /// it when nothing arrived for `gap`, which is the maximum of the duration.
    package func postpone(_ position: MediaTime, to now: MediaTime, gap: MediaTime) {
        origin.update { origin in
            guard let begin = origin else { return }
            origin = begin + max(.zero, min(now - (begin + position), gap))
        }
    }
}
