import Pipeline

/// Why a session cannot start, ended early, or rejects a request. The front end makes the sentence.
package enum SessionError: Error, Sendable, Equatable {
    /// The source, its picture, or an encoder.
    case pipeline(PipelineError)
    /// The session is ending and accepts no more destinations.
    case ending
    /// The session has not begun yet. A later request can succeed.
    case notBegun
    /// A destination of this session already writes the file.
    case pathInUse(String)
    /// The session already has a destination of this name.
    case nameInUse(String)
    /// A destination of this session, by its name, already sends to the same address.
    case addressInUse(by: String)
    /// The destination is the last one, which ends only with the session.
    case onlyDestination(String)
}
