import Concurrency
import Media
import Synchronization

/// Whether the desktop may be shown, from the user's pauses and the state of the screen's lock. Thread-safe.
package final class Disclosure: Sendable {
    package let pauses = PauseSchedule()
    /// True if the desktop reported that the screen is locked. A source can also detect that itself.
    package let isDesktopLocked = Atomic(false)
    private let requiredRules = Atomic(-1)
    private let lastRequest = Atomic<Int64>(0)

    package init() {}

    /// From now on, no picture is shown that does not follow the rules for hidden windows of `revision`.
    package func require(rules revision: Int) {
        requiredRules.store(max(revision, requiredRules.load(ordering: .relaxed)), ordering: .relaxed)
        noteRequest()
    }

    /// The revision of the rules that pictures must follow; -1 until a rule is added while live.
    package var rules: Int { requiredRules.load(ordering: .relaxed) }

    /// Called when the user asks to hide something.
    package func noteRequest() {
        lastRequest.store(SessionClock.monotonic(), ordering: .relaxed)
    }

    /// The time of `CLOCK_MONOTONIC` in nanoseconds at which the user last asked to hide something; zero before that.
    package var requestTime: Int64 { lastRequest.load(ordering: .relaxed) }

    /// Returns true if a source may prepare the picture that follows a pause.
    package func isResuming(at time: MediaTime) -> Bool {
        !isDesktopLocked.load(ordering: .relaxed) && pauses.isEnding(at: time)
    }

    /// Returns true if a picture of that time must not show the desktop.
    package func isWithheld(at time: MediaTime) -> Bool {
        isDesktopLocked.load(ordering: .relaxed) || pauses.isPaused(at: time)
    }
}
