/// The states of a session, as status and events name them (`docs/protocols.md`).
package enum SessionState: String, Sendable {
    case starting
    case live
    case paused
    case finishing
    case finished
    case failed

    /// Returns true if a session can change from this state to `next`.
    package func allows(_ next: SessionState) -> Bool {
        switch (self, next) {
        case (.starting, .live), (.starting, .finishing), (.starting, .failed): true
        case (.live, .paused), (.paused, .live): true
        case (.live, .finishing), (.paused, .finishing): true
        case (.finishing, .finished), (.finishing, .failed): true
        default: false
        }
    }

    /// True for `finished` and `failed`.
    package var isOver: Bool { self == .finished || self == .failed }
}
