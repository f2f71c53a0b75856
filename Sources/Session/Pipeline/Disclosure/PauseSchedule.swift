import Concurrency
import Media
import Synchronization

/// The intervals of a session's time that the user paused. Thread-safe.
///
/// The timestamp of a sample decides whether it belongs to a pause. So all tracks and renditions have the same limits,
/// even if their threads run late. The capture thread, the encoders and the mixer read the schedule. Only the session
/// changes it.
package final class PauseSchedule: Sendable {
    private struct Interval {
        /// The time of the user's request. Sound is silent from then on.
        var requested: MediaTime
        /// The first tick of the slate.
        var start: MediaTime
        /// Nil while paused.
        var end: MediaTime?
    }

    private struct State {
        /// In the order of time. They do not touch.
        var intervals: [Interval] = []
        var requestCount = 0
    }

    /// The maximum number of intervals. There is at least a tick between two of them, so this is more than the encoders
    /// and the mixer still need.
    private static let limit = 1000

    private let state = Mutex(State())

    package init() {}

    /// Starts a pause: pictures from `time` on are withheld, and sound from `requested` on, the time of the user's
    /// request.
    ///
    /// Both times are evaluated while the schedule is locked. So all threads get the same answer for a future tick,
    /// even if the caller waited for the lock.
    package func pause(at time: @autoclosure () -> MediaTime, requested: @autoclosure () -> MediaTime) {
        state.withLock { state in
            let last = state.intervals.last
            guard last == nil || last?.end != nil else { return }
            state.requestCount += 1
            let interval = Interval(requested: requested(), start: time())
            if let end = last?.end, interval.start <= end {
                // There was no tick between the two pauses.
                state.intervals[state.intervals.count - 1].end = nil
                return
            }
            if state.intervals.count >= Self.limit { state.intervals.removeFirst() }
            state.intervals.append(interval)
        }
    }

    /// Ends the pause: samples from `time` on are shown again. The time is evaluated while the schedule is locked.
    package func resume(at time: @autoclosure () -> MediaTime) {
        state.withLock { state in
            guard let last = state.intervals.last, last.end == nil else { return }
            state.intervals[state.intervals.count - 1].end = max(time(), last.start)
        }
    }

    /// Returns true if a picture of that time is withheld.
    package func isPaused(at time: MediaTime) -> Bool {
        state.withLock { state in
            state.intervals.contains { $0.start <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// Returns true if sound of that time is silenced.
    package func isSilenced(at time: MediaTime) -> Bool {
        state.withLock { state in
            state.intervals.contains { $0.requested <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// True from the user's request to pause until the request to resume. Nothing may be grabbed then, also before the
    /// first paused tick.
    package var isRequested: Bool {
        state.withLock { $0.intervals.last.map { $0.end == nil } ?? false }
    }

    /// Returns true if a picture of that time is withheld although the user has requested to resume.
    package func isEnding(at time: MediaTime) -> Bool {
        state.withLock { state in
            guard let last = state.intervals.last, let end = last.end else { return false }
            return last.start <= time && time < end
        }
    }

    /// The number of requested pauses. If it changes during a grab, the grab can show pixels that were drawn after the
    /// request.
    package var requestCount: Int { state.withLock { $0.requestCount } }
}
