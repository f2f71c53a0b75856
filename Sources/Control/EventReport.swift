/// Something that happened in a session: a line of `broadcast events` (DESIGN section 7).
package struct EventReport: Codable, Sendable, Equatable {
    /// ISO 8601, UTC.
    package var time: String
    /// `state`, `annotation`, `destination`, `warning`, `clip` or `statistics`.
    package var event: String
    /// The session's name.
    package var session: String
    /// With `state`.
    package var state: String?
    /// With `annotation`.
    package var annotation: [String: String]?
    /// With `destination`.
    package var destination: DestinationReport?
    /// With `warning`.
    package var message: String?
    /// With `clip`.
    package var clip: ClipReport?
    /// With `statistics`: the whole of it.
    package var statistics: SessionReport?

    package init(time: String, event: String, session: String) {
        self.time = time
        self.event = event
        self.session = session
    }
}
