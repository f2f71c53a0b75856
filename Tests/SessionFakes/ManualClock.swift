import Synchronization
import TestSupport

/// A clock that only moves when the test moves it.
package final class ManualClock: Clock {
    package struct Instant: InstantProtocol {
        /// Since the clock was made.
        package var offset: Duration

        package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        package func duration(to other: Instant) -> Duration { other.offset - offset }
        package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var nextIdentifier = 0
        var waits: [Duration] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var now: Instant { state.withLock { $0.now } }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// The length of every wait that has begun, in order.
    package var waits: [Duration] { state.withLock { $0.waits } }
    /// How many tasks sleep now.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Moves the time, and wakes the tasks whose time has come.
    package func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for identifier in due.keys { state.sleepers[identifier] = nil }
            return Array(due.values)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Waits until one task sleeps, and moves the time by `duration`.
    package func pass(_ duration: Duration) async throws {
        try await waitUntil("a wait") { sleeperCount == 1 }
        advance(by: duration)
    }

    package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let identifier = state.withLock { state -> Int in
            defer { state.nextIdentifier += 1 }
            state.waits.append(state.now.duration(to: deadline))
            return state.nextIdentifier
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case sleep, wake, cancel }
                let next = state.withLock { state -> Next in
                    if state.cancelled.remove(identifier) != nil { return .cancel }
                    if deadline <= state.now { return .wake }
                    state.sleepers[identifier] = Sleeper(deadline: deadline, continuation: continuation)
                    return .sleep
                }
                switch next {
                case .sleep: break
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                if let sleeper = state.sleepers.removeValue(forKey: identifier) { return sleeper }
                state.cancelled.insert(identifier)
                return nil
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
