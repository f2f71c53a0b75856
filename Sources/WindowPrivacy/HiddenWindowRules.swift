import Concurrency
import Synchronization

/// The rules of one session: whoever runs it changes them while the source follows them on its own thread.
///
/// Windows that set the property `_BROADCAST_CAPTURE_EXCLUDE` to 1 on themselves are hidden without a rule.
package final class HiddenWindowRules: Sendable {
    private struct State {
        var rules: [HiddenWindowRule]
        var revision = 0
        var appliedRevision = -1
        /// Set once the newest revision is applied.
        var applied = Once<Void>()
        var processes: Set<Int32> = []
    }

    private let state: Mutex<State>

    /// True where the sound of the hidden windows' processes is left out too (`PulseRequest.mutedWindows`).
    package let mutesSound: Bool

    package init(_ rules: [HiddenWindowRule] = [], mutesSound: Bool = false) {
        state = Mutex(State(rules: rules))
        self.mutesSound = mutesSound
    }

    /// In the order in which they came.
    package var rules: [HiddenWindowRule] { state.withLock { $0.rules } }

    /// One more after each change.
    package var revision: Int { state.withLock { $0.revision } }

    /// True once every picture that the source gives follows the rules as they are now. It looks at its next tick, and does not while it is paused.
    package var isApplied: Bool { state.withLock { $0.appliedRevision == $0.revision } }

    /// Suspends until every picture follows the rules as they are now, at most for `limit`.
    package func waitUntilApplied(within limit: Duration) async {
        _ = await state.withLock { $0.applied }.value(within: limit)
    }

    /// The processes to which the hidden windows belong, as far as the windows say (_NET_WM_PID); those whose sound is silenced with `mute`.
    package var hiddenProcesses: Set<Int32> { state.withLock { $0.processes } }

    /// Hides more windows from the next tick on; false where the rule was there already.
    @discardableResult
    package func hide(_ rule: HiddenWindowRule) -> Bool {
        state.withLock { state in
            if state.rules.contains(rule) { return false }
            state.rules.append(rule)
            state.revision += 1
            state.applied = Once()
            return true
        }
    }

    /// Takes a rule away; false where there was none. A window that another rule hides stays hidden.
    @discardableResult
    package func unhide(_ rule: HiddenWindowRule) -> Bool {
        state.withLock { state in
            guard let index = state.rules.firstIndex(of: rule) else { return false }
            state.rules.remove(at: index)
            state.revision += 1
            state.applied = Once()
            return true
        }
    }

    /// The rules and their revision, which belong together.
    package var current: (rules: [HiddenWindowRule], revision: Int) { state.withLock { ($0.rules, $0.revision) } }

    /// The source says what it found with the rules of a revision.
    package func apply(revision: Int, processes: Set<Int32>) {
        state.withLock {
            $0.appliedRevision = revision
            $0.processes = processes
            if revision == $0.revision { $0.applied.set(()) }
        }
    }
}
