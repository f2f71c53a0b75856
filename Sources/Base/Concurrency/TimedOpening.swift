/// Opens something with a library call that has no time limit.
package enum TimedOpening {
    private enum State<Value> {
        case waiting, abandoned
        case done(Value)
    }

    /// Runs `open` on another thread and blocks until it returns, or for `limit`.
    ///
    /// - Parameter discard: gets a result that comes after the limit, on the other thread.
    /// - Returns: the result; nil after the limit.
    package static func run<Value>(
        name: String, within limit: Duration, open: @escaping @Sendable () -> Value,
        discard: @escaping @Sendable (Value) -> Void
    ) -> Value? {
        let opening = Monitor(State<Value>.waiting)
        _ = NamedThread(name: name) {
            let value = open()
            let isWanted = opening.update { state in
                if case .abandoned = state { return false }
                state = .done(value)
                return true
            }
            if !isWanted { discard(value) }
        }
        let deadline = SessionClock.monotonic() + Int64(limit / .nanoseconds(1))
        if let value = opening.wait(
            until: deadline, for: { state -> Value? in if case .done(let value) = state { value } else { nil } })
        {
            return value
        }
        // The result can arrive between the end of the wait and this line.
        return opening.update { state -> Value? in
            if case .done(let value) = state { return value }
            state = .abandoned
            return nil
        }
    }
}
