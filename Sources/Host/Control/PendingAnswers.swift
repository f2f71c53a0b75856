import Synchronization

/// Counts unanswered requests, so that `shutDown` can wait for them.
final class PendingAnswers: Sendable {
    private struct State {
        var count = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    func begin() {
        state.withLock { $0.count += 1 }
    }

    func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Makes `drained` return although answers are pending.
    func giveUp() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func drained() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state -> Bool in
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isDrained { continuation.resume() }
        }
    }
}
