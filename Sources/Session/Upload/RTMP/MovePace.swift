import Concurrency

/// How often a server may ask for a new connection. The first request is followed at once. Each further one, and the
/// next try after one that failed, waits longer, because a move costs a connection and a keyframe. A minute without a
/// request ends that.
package struct MovePace: Sendable {
    private static let waits = Backoff(first: .seconds(2), longest: .seconds(60))
    private static let calm = Duration.seconds(60)
    /// The number of moves in a row after which the user is notified.
    private static let manyMoves = 4

    private var moves = 0
    private var last: ContinuousClock.Instant?

    package init() {}

    /// True if a move may begin.
    package func allows(at now: ContinuousClock.Instant) -> Bool {
        guard let last else { return true }
        return now - last >= Self.waits.delay(afterFailures: moves)
    }

    /// Counts a move. Returns true if the user should be notified of them.
    package mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        if let last, now - last >= Self.calm + Self.waits.delay(afterFailures: moves) { moves = 0 }
        moves += 1
        last = now
        return moves == Self.manyMoves
    }
}
