import Concurrency
import Media
import Synchronization

/// How far a session is: its state, its clock, and its length once it ends. Thread-safe.
package final class SessionProgress: Sendable {
    private struct Values {
        var state = SessionState.starting
        var isStarted = false
        var clock: SessionClock?
        var elapsed: MediaTime?
    }

    private let values = Mutex(Values())

    package init() {}

    /// Marks the session as started. Returns false if it was marked before.
    package func markStarted() -> Bool {
        values.withLock { values in
            defer { values.isStarted = true }
            return !values.isStarted
        }
    }

    /// Sets the session's clock, whose time zero is the session's time zero.
    package func begin(_ clock: SessionClock) {
        values.withLock { $0.clock = clock }
    }

    /// Changes the state if `SessionState.allows` permits it. The state `finishing` stops the session's time.
    ///
    /// - Parameter expected: if not nil, the state changes only from this one.
    /// - Returns: true if the state changed.
    package func transition(to state: SessionState, from expected: SessionState? = nil) -> Bool {
        values.withLock { values in
            guard values.state.allows(state), expected == nil || expected == values.state else { return false }
            values.state = state
            if state == .finishing { values.elapsed = values.clock?.now }
            return true
        }
    }

    package var state: SessionState { values.withLock { $0.state } }

    /// True after the first `markStarted`.
    package var isStarted: Bool { values.withLock { $0.isStarted } }

    /// True after `begin`: the first destinations have started.
    package var hasBegun: Bool { values.withLock { $0.clock != nil } }

    /// The session's time: zero before it has begun, constant once it ends.
    package var now: MediaTime { values.withLock { $0.elapsed ?? $0.clock?.now ?? .zero } }

    /// The state, and whether the session's time has stopped.
    package var stateAndEnd: (state: SessionState, hasStopped: Bool) {
        values.withLock { ($0.state, $0.elapsed != nil) }
    }
}
