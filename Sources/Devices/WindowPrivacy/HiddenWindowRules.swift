import Media
import Synchronization

/// The rules for hidden windows at the start of a session.
package struct HiddenWindowSettings: Sendable, Equatable {
    package var rules: [HiddenWindowRule]
    /// If true, the sound of the hidden windows' processes is muted too.
    package var mutesSound: Bool

    package init(_ rules: [HiddenWindowRule] = [], mutesSound: Bool = false) {
        self.rules = rules
        self.mutesSound = mutesSound
    }
}

/// The live rules of one session, which owns them. They can be changed while the source applies them on its own thread.
///
/// A window that sets its property `_BROADCAST_CAPTURE_EXCLUDE` to 1 is hidden without a rule.
package final class HiddenWindowRules: Sendable {
    private struct State {
        var rules: [HiddenWindowRule]
        /// The revision in which a rule was hidden last; zero for the rules of the start.
        var hiddenIn: [HiddenWindowRule: Int] = [:]
        var revision = 0
        var hidingRevision = 0
        var appliedRevision = -1
        /// Nil if the source cannot know them.
        var processes: Set<Int32>? = []
        var matches: [HiddenWindowRule: Int] = [:]
        /// The revision that the recorded sound follows, and the session's time from which it does.
        var sound: (revision: Int, time: MediaTime) = (-1, .zero)
    }

    private let state: Mutex<State>

    package init(_ rules: [HiddenWindowRule] = []) {
        state = Mutex(State(rules: rules))
    }

    /// The rules in the order in which they were added.
    package var rules: [HiddenWindowRule] { state.withLock { $0.rules } }

    /// A number that increases by one with each change.
    package var revision: Int { state.withLock { $0.revision } }

    /// The revision in which a rule was last added or renewed; zero for the rules of the start. Later revisions hide
    /// nothing more.
    package var hidingRevision: Int { state.withLock { $0.hidingRevision } }

    /// The revision that every further picture from the source follows.
    package var appliedRevision: Int { state.withLock { $0.appliedRevision } }

    /// True if every picture from the source follows the current rules. The source applies changes at its next tick,
    /// but not while it is paused.
    package var isApplied: Bool { state.withLock { $0.appliedRevision == $0.revision } }

    /// Whose sound to silence with `mute`.
    package enum MutedSound: Sendable, Equatable {
        /// All sound: the source has not yet determined which windows are hidden, or it cannot.
        case all
        /// The sound of no process: there is neither a rule nor a hidden window.
        case none
        /// The sound of these processes, which the hidden windows name (_NET_WM_PID), and sound whose process is
        /// unknown.
        case processes(Set<Int32>)
    }

    package var mutedSound: MutedSound { currentMutedSound.sound }

    /// Whose sound to silence, and the revision of the rules that this follows.
    package var currentMutedSound: (sound: MutedSound, revision: Int) {
        state.withLock { state in
            let revision = state.appliedRevision
            if revision < 0 { return (.all, revision) }
            guard let processes = state.processes else { return (state.rules.isEmpty ? .none : .all, revision) }
            return (state.rules.isEmpty && processes.isEmpty ? .none : .processes(processes), revision)
        }
    }

    /// Called by the recorder of sound when it records nothing more that a revision mutes.
    ///
    /// - Parameter time: the session's time from which on its sound follows that revision.
    package func noteSound(follows revision: Int, from time: MediaTime) {
        state.withLock { state in
            guard revision > state.sound.revision else { return }
            // A revision that only removes rules mutes nothing more, so the sound that was recorded before it may be
            // used.
            state.sound = (revision, state.sound.revision < state.hidingRevision ? time : state.sound.time)
        }
    }

    /// True if the sound of `time` can contain what the current rules mute.
    package func isSoundPending(at time: MediaTime) -> Bool {
        state.withLock { $0.sound.revision < $0.hidingRevision || time < $0.sound.time }
    }

    /// Adds a rule, which applies from the next tick on. Returns false if the rule exists already.
    ///
    /// An `id:` rule that exists already is renewed: it does not end with a window that was destroyed before this call.
    @discardableResult
    package func hide(_ rule: HiddenWindowRule) -> Bool {
        state.withLock { state in
            let isNew = !state.rules.contains(rule)
            if isNew { state.rules.append(rule) } else if !rule.isOfOneWindow { return false }
            state.revision += 1
            state.hiddenIn[rule] = state.revision
            state.hidingRevision = state.revision
            return isNew
        }
    }

    /// Removes a rule. Returns false if the rule does not exist. A window that matches another rule remains hidden.
    @discardableResult
    package func unhide(_ rule: HiddenWindowRule) -> Bool {
        state.withLock { state in
            guard let index = state.rules.firstIndex(of: rule) else { return false }
            state.rules.remove(at: index)
            state.hiddenIn[rule] = nil
            state.revision += 1
            return true
        }
    }

    /// The rules and their revision, which belong together.
    package var current: (rules: [HiddenWindowRule], revision: Int) { state.withLock { ($0.rules, $0.revision) } }

    /// The rules with the number of windows that each of them selects now, without their dialogs and pop-ups. The
    /// number is nil until the source has applied the rule.
    package var matches: [(rule: HiddenWindowRule, windows: Int?)] {
        state.withLock { state in state.rules.map { ($0, state.matches[$0]) } }
    }

    /// Called by the source with the result for the rules of a revision.
    ///
    /// - Parameters:
    ///   - processes: those of the hidden windows; nil if the source cannot know them.
    ///   - matches: the number of windows that each rule selects.
    ///   - ended: `id:` rules whose window was destroyed after the previous call. They are removed, because another
    ///     window can get the number now. A rule that was hidden again after the previous call remains.
    /// - Returns: the rules that were removed.
    @discardableResult
    package func apply(
        revision: Int, processes: Set<Int32>?, matches: [HiddenWindowRule: Int], ended: [HiddenWindowRule] = []
    ) -> [HiddenWindowRule] {
        state.withLock { state in
            let removed = ended.filter { state.rules.contains($0) && state.hiddenIn[$0] ?? 0 <= state.appliedRevision }
            state.appliedRevision = revision
            state.processes = processes
            state.matches = matches
            guard !removed.isEmpty else { return [] }
            state.rules.removeAll(where: removed.contains)
            for rule in removed { state.hiddenIn[rule] = nil }
            state.revision += 1
            return removed
        }
    }
}
