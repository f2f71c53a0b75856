import Media
import Synchronization

/// The stretches of a session's time that the user paused.
///
/// A sample belongs to a pause by its own timestamp, so all tracks and renditions agree on its limits, however late their threads run.
/// Capture, encoders and the mixer ask it; only the session changes it.
package final class PauseSchedule: Sendable {
    private struct Stretch {
        /// When the user asked for it: no sound from then on is heard.
        var requested: MediaTime
        /// The first tick of the slate.
        var start: MediaTime
        /// Nil while paused.
        var end: MediaTime?
    }

    private struct State {
        /// In the order of time, with a gap between each two.
        var stretches: [Stretch] = []
        var requestCount = 0
    }

    /// More than enough for what encoder and mixer still work on: stretches have at least a tick between them.
    private static let limit = 1000

    private let state = Mutex(State())

    package init() {}

    /// Samples from `time` on are withheld, and sound from `requested` on, the time of the user's request.
    ///
    /// Both times are read with the schedule locked. A tick that is still to come is then judged alike by every thread, however long the caller
    /// waited for the lock.
    package func pause(at time: @autoclosure () -> MediaTime, requested: @autoclosure () -> MediaTime) {
        state.withLock { state in
            let last = state.stretches.last
            guard last == nil || last?.end != nil else { return }
            state.requestCount += 1
            let stretch = Stretch(requested: requested(), start: time())
            if let end = last?.end, stretch.start <= end {
                // It was resumed for no tick at all.
                state.stretches[state.stretches.count - 1].end = nil
                return
            }
            if state.stretches.count >= Self.limit { state.stretches.removeFirst() }
            state.stretches.append(stretch)
        }
    }

    /// Samples from `time` on are shown again. The time is read with the schedule locked.
    package func resume(at time: @autoclosure () -> MediaTime) {
        state.withLock { state in
            guard let last = state.stretches.last, last.end == nil else { return }
            state.stretches[state.stretches.count - 1].end = max(time(), last.start)
        }
    }

    /// Whether a sample of that time is withheld.
    package func isPaused(at time: MediaTime) -> Bool {
        state.withLock { state in
            state.stretches.contains { $0.start <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// Whether sound of that time is silenced.
    package func isSilenced(at time: MediaTime) -> Bool {
        state.withLock { state in
            state.stretches.contains { $0.requested <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// True from the user's request to pause until the request to resume: nothing may be grabbed any more, also before the pause begins.
    package var isRequested: Bool {
        state.withLock { $0.stretches.last.map { $0.end == nil } ?? false }
    }

    /// How many pauses have been requested: a grab during which this changes may show what was painted after the request.
    package var requestCount: Int { state.withLock { $0.requestCount } }
}

/// Whether the desktop may be shown: what the user and the desktop decided, for the threads that make pictures and sound.
package final class Disclosure: Sendable {
    package let pauses = PauseSchedule()
    /// The desktop reported that the screen is locked; the source may know by itself.
    package let isDesktopLocked = Atomic(false)

    package init() {}

    /// True if nothing of the desktop may be in a sample of that time.
    package func isWithheld(at time: MediaTime) -> Bool {
        isDesktopLocked.load(ordering: .relaxed) || pauses.isPaused(at: time)
    }
}

/// The start or the end of a pause, as an element of the stream: it stands before the first packet that it concerns.
package enum PauseMark: Sendable, Equatable {
    case paused(at: MediaTime)
    case resumed(at: MediaTime)

    package var time: MediaTime {
        switch self {
        case .paused(let time), .resumed(let time): time
        }
    }

    package var element: PacketQueue.Element {
        switch self {
        case .paused(let time): .paused(at: time)
        case .resumed(let time): .resumed(at: time)
        }
    }
}
