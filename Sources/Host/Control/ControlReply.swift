/// The answer of a session to a request.
///
/// Its `Codable` form is the JSON object of one line (docs/protocols.md, "Requests"; docs/control.schema.json). The
/// reader ignores unknown fields.
package enum ControlReply: Sendable, Equatable {
    /// The current state of the session, or its final state.
    case session(SessionReport)
    /// To `mic`: the session's state, and whether the microphone is now on.
    case microphone(isOn: Bool, SessionReport)
    /// To `clip`: the saved clip.
    case clip(ClipReport)
    /// To `add-destination` and `remove-destination`: the destination that was added or removed.
    case destination(DestinationReport)
    /// To `retry`: the destinations that are retried now.
    case retried([String])
    case error(ErrorReport)
}

/// What a client expects, or nil if the reply is of another kind.
extension ControlReply {
    package var session: SessionReport? {
        switch self {
        case .session(let session), .microphone(_, let session): session
        case .clip, .destination, .retried, .error: nil
        }
    }

    package var microphone: Bool? {
        if case .microphone(let isOn, _) = self { isOn } else { nil }
    }

    package var clip: ClipReport? {
        if case .clip(let clip) = self { clip } else { nil }
    }

    package var destination: DestinationReport? {
        if case .destination(let destination) = self { destination } else { nil }
    }

    package var retried: [String]? {
        if case .retried(let names) = self { names } else { nil }
    }

    package var error: ErrorReport? {
        if case .error(let error) = self { error } else { nil }
    }
}

extension ControlReply: Codable {
    /// The fields of the JSON object.
    private struct Fields: Codable {
        var session: SessionReport?
        var error: ErrorReport?
        var microphone: Bool?
        var clip: ClipReport?
        var destination: DestinationReport?
        var retried: [String]?
    }

    package init(from decoder: any Decoder) throws {
        let fields = try Fields(from: decoder)
        if let error = fields.error {
            self = .error(error)
        } else if let session = fields.session {
            self = fields.microphone.map { .microphone(isOn: $0, session) } ?? .session(session)
        } else if let clip = fields.clip {
            self = .clip(clip)
        } else if let destination = fields.destination {
            self = .destination(destination)
        } else if let names = fields.retried {
            self = .retried(names)
        } else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "The reply has no known field."))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = Fields()
        switch self {
        case .session(let session): fields.session = session
        case .microphone(let isOn, let session):
            fields.microphone = isOn
            fields.session = session
        case .clip(let clip): fields.clip = clip
        case .destination(let destination): fields.destination = destination
        case .retried(let names): fields.retried = names
        case .error(let error): fields.error = error
        }
        try fields.encode(to: encoder)
    }
}

/// A saved part of the broadcast.
package struct ClipReport: Codable, Sendable, Equatable {
    package var path: String
    /// `start` is in seconds since the session's start; `duration` is in seconds.
    package var start: Double
    package var duration: Double

    package init(path: String, start: Double, duration: Double) {
        self.path = path
        self.start = start
        self.duration = duration
    }
}
