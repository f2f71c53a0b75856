import Synchronization

/// A value that one thread sets once and one task waits for, with a time limit.
final class Once<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, Never>)
        case done(Value)
    }

    private let state = Mutex(State.open)

    /// Sets the value. Later calls have no effect.
    func set(_ value: Value) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .done = state { return nil }
            defer { state = .done(value) }
            return if case .waiting(let continuation) = state { continuation } else { nil }
        }
        waiter?.resume(returning: value)
    }

    /// Returns the value when it is set, or `late` after `limit`. Call it once.
    func value(within limit: Duration, else late: Value) async -> Value {
        let timer = Task {
            try? await Task.sleep(for: limit)
            if !Task.isCancelled { set(late) }
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .done(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
