import Synchronization

/// How many clients follow a session's events. Each costs a queue and a share of every event, so there is a limit.
final class FollowerCount: Sendable {
    /// Enough for all overlays and scripts of one desktop.
    static let limit = 32

    private let count = Mutex(0)

    /// True where there is room for one more, which is then counted.
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
