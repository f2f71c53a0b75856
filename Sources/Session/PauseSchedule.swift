import Media
import Synchronization

/// The stretches of a session's time that the user paused.
///
/// A sample belongs to a pause by its own timestamp, so all tracks and renditions agree on its limits, however late their threads run.
/// Capture, encoders and the mixer ask it; only the session changes it.
final class PauseSchedule: Sendable {
    private struct Stretch {
        /// When the user asked for it: no sound from then on is heard.
        var requested: MediaTime
        /// The first tick of the slate.
        var start: MediaTime
        /// Nil while paused.
        var end: MediaTime?
    }

    private let stretches = Mutex<[Stretch]>([])

    init() {}

    /// Samples from `time` on are withheld, and sound from `requested` on, the time of the user's request.
    func pause(at time: MediaTime, requested: MediaTime) {
        stretches.withLock { stretches in
            guard stretches.last.map({ $0.end != nil }) ?? true else { return }
            // Nothing asks about times that are long past.
            if stretches.count > 8 { stretches.removeFirst() }
            stretches.append(Stretch(requested: requested, start: max(time, stretches.last?.end ?? time)))
        }
    }

    /// Samples from `time` on are shown again.
    func resume(at time: MediaTime) {
        stretches.withLock { stretches in
            guard let last = stretches.last, last.end == nil else { return }
            stretches[stretches.count - 1].end = max(time, last.start)
        }
    }

    /// Whether a sample of that time is withheld.
    func isPaused(at time: MediaTime) -> Bool {
        stretches.withLock { stretches in
            stretches.contains { $0.start <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// Whether sound of that time is silenced.
    func isSilenced(at time: MediaTime) -> Bool {
        stretches.withLock { stretches in
            stretches.contains { $0.requested <= time && ($0.end.map { time < $0 } ?? true) }
        }
    }

    /// True from the user's request to pause until the request to resume: nothing may be grabbed any more, also before the pause begins.
    var isRequested: Bool {
        stretches.withLock { $0.last.map { $0.end == nil } ?? false }
    }
}

/// Whether the desktop may be shown: what the user and the desktop decided, for the threads that make pictures and sound.
final class Disclosure: Sendable {
    let pauses = PauseSchedule()
    /// The desktop reported that the screen is locked; the source may know by itself.
    let isDesktopLocked = Atomic(false)

    /// True if nothing of the desktop may be in a sample of that time.
    func isWithheld(at time: MediaTime) -> Bool {
        isDesktopLocked.load(ordering: .relaxed) || pauses.isPaused(at: time)
    }
}

/// The start or the end of a pause, as an element of the stream: it stands before the first packet that it concerns.
enum PauseMark: Sendable, Equatable {
    case paused(at: MediaTime)
    case resumed(at: MediaTime)

    var time: MediaTime {
        switch self {
        case .paused(let time), .resumed(let time): time
        }
    }

    var element: PacketQueue.Element {
        switch self {
        case .paused(let time): .paused(at: time)
        case .resumed(let time): .resumed(at: time)
        }
    }
}
