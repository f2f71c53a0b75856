import Control
import Synchronization

/// Distributes the events of a session to its followers. Thread-safe. A slow follower loses the oldest events and does
/// not delay the others.
package final class EventHub: Sendable {
    private static let backlog = 256

    private struct State {
        var followers: [Int: AsyncStream<EventReport>.Continuation] = [:]
        var nextIdentifier = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Returns the events from now on, until the end of the session.
    package func subscribe() -> AsyncStream<EventReport> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: EventReport.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        let identifier = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            defer { state.nextIdentifier += 1 }
            state.followers[state.nextIdentifier] = continuation
            return state.nextIdentifier
        }
        guard let identifier else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(identifier) }
        return stream
    }

    package func publish(_ event: EventReport?) {
        guard let event else { return }
        let followers = state.withLock { Array($0.followers.values) }
        for follower in followers { follower.yield(event) }
    }

    package func finish() {
        let followers = state.withLock { state in
            state.isFinished = true
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }

    private func remove(_ identifier: Int) {
        _ = state.withLock { $0.followers.removeValue(forKey: identifier) }
    }
}
