import Synchronization

/// The first reason for which a session ends, and a way to wait for it.
final class Ending: Sendable {
    enum Reason: Sendable {
        /// Someone asked for it.
        case asked
        /// The time is up, or the content at its end.
        case over
        /// No destination is left.
        case destinationsEnded
        /// Picture or encoder failed.
        case failed(SessionError)
    }

    private struct State {
        var reason: Reason?
        var waiter: CheckedContinuation<Reason, Never>?
    }

    private let state = Mutex(State())

    /// Only the first reason counts.
    func reach(_ reason: Reason) {
        let waiter = state.withLock { state -> CheckedContinuation<Reason, Never>? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: reason)
    }

    /// Suspends until there is one. Only one task may wait.
    var value: Reason {
        get async {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state -> Reason? in
                    if state.reason == nil { state.waiter = continuation }
                    return state.reason
                }
                if let reason { continuation.resume(returning: reason) }
            }
        }
    }
}
