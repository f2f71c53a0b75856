/// An event in a session: a line of `broadcast events` (docs/protocols.md).
package struct EventReport: Codable, Sendable, Equatable {
    /// ISO 8601, UTC.
    package var time: String
    /// `state`, `annotation`, `destination`, `microphone`, `hide`, `unhide`, `warning`, `clip`, `comment` or
    /// `statistics`.
    package var event: String
    /// The session's name.
    package var session: String
    /// For `state`.
    package var state: String?
    /// For `annotation`.
    package var annotation: [String: String]?
    /// For `destination`.
    package var destination: DestinationReport?
    /// For `microphone`: true if it is on now.
    package var microphone: Bool?
    /// For `hide` and `unhide`: the rule, as in `class:KeePassXC`.
    package var rule: String?
    /// For `warning`.
    package var message: String?
    /// For `clip`.
    package var clip: ClipReport?
    /// For `comment`.
    package var comment: CommentReport?
    /// For `statistics`: the complete status of the session.
    package var statistics: SessionReport?

    package init(time: String, event: String, session: String) {
        self.time = time
        self.event = event
        self.session = session
    }
}

/// What a viewer wrote.
package struct CommentReport: Codable, Sendable, Equatable {
    /// The destination that it came from.
    package var destination: String
    /// The name that the viewer goes by.
    package var from: String
    package var text: String

    package init(destination: String, from: String, text: String) {
        self.destination = destination
        self.from = from
        self.text = text
    }
}
