import Synchronization

/// A value that is set once and that any number of tasks can wait for.
package final class Once<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// The value, or nil until it is set.
    package var current: Value? { state.withLock { $0.value } }

    /// Sets the value and resumes all waiting tasks. Never blocks.
    ///
    /// - Returns: false if it was set before. The first value does not change.
    @discardableResult package func set(_ value: Value) -> Bool {
        let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>]? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume(returning: value) }
        return true
    }

    /// Suspends until the value is set. Cancellation does not end the wait.
    package var value: Value {
        get async {
            while true {
                if let value = await wait(timeout: nil) { return value }
            }
        }
    }

    /// Suspends until the value is set, for at most `limit`. Returns nil after that.
    package func value(within limit: Duration) async -> Value? {
        await wait(timeout: limit)
    }

    private func wait(timeout: Duration?) async -> Value? {
        let identifier = state.withLock { state -> UInt64 in
            defer { state.nextWaiter += 1 }
            return state.nextWaiter
        }
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if let value = state.value { return value }
                state.waiters[identifier] = continuation
                return nil
            }
            if let value {
                continuation.resume(returning: value)
            } else if let timeout {
                // Start the timer only now: if it ends before the continuation exists, nothing would be resumed.
                timer = Task { [weak self] in
                    try? await Task.sleep(for: timeout)
                    guard !Task.isCancelled else { return }
                    self?.giveUp(identifier)
                }
            }
        }
    }

    private func giveUp(_ identifier: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: identifier) }?.resume(returning: nil)
    }
}
