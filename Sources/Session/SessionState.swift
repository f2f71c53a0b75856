/// The states of a session, as status and events name them (`docs/protocols.md`).
package enum SessionState: String, Sendable {
    case starting
    case live
    case paused
    case finishing
    case finished
    case failed

    /// Whether a session can go from this state to `next`.
    package func allows(_ next: SessionState) -> Bool {
        switch (self, next) {
        case (.starting, .live), (.starting, .finishing), (.starting, .failed): true
        case (.live, .paused), (.paused, .live): true
        case (.live, .finishing), (.paused, .finishing): true
        case (.finishing, .finished), (.finishing, .failed): true
        default: false
        }
    }

    package var isOver: Bool { self == .finished || self == .failed }
}

/// The states of a destination.
package enum DestinationState: String, Sendable {
    case connecting
    case live
    case reconnecting
    case paused
    case finished
    case failed

    package var isOver: Bool { self == .finished || self == .failed }
}
