import Concurrency
import Synchronization

/// The rules of one session. They can be changed while the source applies them on its own thread.
///
/// A window that sets its property `_BROADCAST_CAPTURE_EXCLUDE` to 1 is hidden without a rule.
package final class HiddenWindowRules: Sendable {
    private struct State {
        var rules: [HiddenWindowRule]
        var revision = 0
        var appliedRevision = -1
        /// Set once the newest revision is applied.
        var applied = Once<Void>()
        var processes: Set<Int32> = []
        var matches: [HiddenWindowRule: Int] = [:]
    }

    private let state: Mutex<State>

    /// If true, the sound of the hidden windows' processes is muted too (`PulseRequest.mutedWindows`).
    package let mutesSound: Bool

    package init(_ rules: [HiddenWindowRule] = [], mutesSound: Bool = false) {
        state = Mutex(State(rules: rules))
        self.mutesSound = mutesSound
    }

    /// The rules in the order in which they were added.
    package var rules: [HiddenWindowRule] { state.withLock { $0.rules } }

    /// A number that increases by one with each change.
    package var revision: Int { state.withLock { $0.revision } }

    /// True if every picture from the source follows the current rules. The source applies changes at its next tick,
    /// but not while it is paused.
    package var isApplied: Bool { state.withLock { $0.appliedRevision == $0.revision } }

    /// Suspends until every picture follows the rules as they are now, at most for `limit`.
    package func waitUntilApplied(within limit: Duration) async {
        _ = await state.withLock { $0.applied }.value(within: limit)
    }

    /// The processes of the hidden windows, if the windows name them (_NET_WM_PID). With `mute`, their sound is
    /// silenced.
    package var hiddenProcesses: Set<Int32> { state.withLock { $0.processes } }

    /// Whose sound to silence with `mute`.
    package enum MutedSound: Sendable, Equatable {
        /// All sound: the source has not yet determined which windows are hidden.
        case all
        /// The sound of no process: there is neither a rule nor a hidden window.
        case none
        /// The sound of these processes, and sound whose process is unknown.
        case processes(Set<Int32>)
    }

    package var mutedSound: MutedSound {
        state.withLock { state in
            if state.appliedRevision < 0 { return .all }
            return state.rules.isEmpty && state.processes.isEmpty ? .none : .processes(state.processes)
        }
    }

    /// Adds a rule, which applies from the next tick on. Returns false if the rule exists already.
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

    /// Removes a rule. Returns false if the rule does not exist. A window that matches another rule remains hidden.
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

    /// The rules with the number of windows that each of them selects now, without their dialogs and pop-ups. The number
    /// is nil until the source has applied the rule.
    package var matches: [(rule: HiddenWindowRule, windows: Int?)] {
        state.withLock { state in state.rules.map { ($0, state.matches[$0]) } }
    }

    /// Called by the source with the result for the rules of a revision.
    ///
    /// - Parameter matches: the number of windows that each rule selects.
    package func apply(revision: Int, processes: Set<Int32>, matches: [HiddenWindowRule: Int]) {
        state.withLock {
            $0.appliedRevision = revision
            $0.processes = processes
            $0.matches = matches
            if revision == $0.revision { $0.applied.set(()) }
        }
    }
}
