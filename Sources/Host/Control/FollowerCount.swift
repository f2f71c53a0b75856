import Synchronization

/// The number of clients that receive a session's events. Each client needs a queue and time for each event, so the
/// number is limited.
final class FollowerCount: Sendable {
    /// Sufficient for all overlays and scripts on a desktop.
    static let limit = 32

    private let count = Mutex(0)

    /// Counts another client and returns true, or returns false if the limit is reached.
    func enter() -> Bool {
        count.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    func leave() {
        count.withLock { $0 -= 1 }
    }
}
