import FoundationEssentials

/// What a client asks: one JSON object on a line. Unknown fields are ignored.
package struct ControlRequest: Codable, Sendable, Equatable {
    /// `status`, `stop`, `pause`, `resume`, `mic`, `annotate`, `clip`, `add-destination`, `remove-destination`, `retry` or `events`.
    package var command: String
    /// For `mic`: `on`, `off` or `toggle`.
    package var value: String?
    /// For `annotate`.
    package var values: [String: String]?
    /// For `add-destination`, `remove-destination` and `retry`.
    package var destination: String?
    /// For `add-destination`: the folder that relative paths start from.
    package var folder: String?
    /// For `clip`: how many seconds, and the file.
    package var last: Double?
    package var path: String?

    package init(command: String, value: String? = nil, values: [String: String]? = nil) {
        self.command = command
        self.value = value
        self.values = values
    }
}

/// What a session answers: one JSON object on a line.
package struct ControlReply: Codable, Sendable, Equatable {
    /// The session as it is, or as it ended.
    package var session: SessionReport?
    package var error: ErrorReport?
    /// For `mic`: whether it is on now.
    package var microphone: Bool?
    /// For `clip`: what was saved.
    package var clip: ClipReport?
    /// For `add-destination` and `remove-destination`: the one that it was about.
    package var destination: DestinationReport?
    /// For `retry`: those that are tried again now.
    package var retried: [String]?

    package init(session: SessionReport, microphone: Bool? = nil) {
        self.session = session
        self.microphone = microphone
    }

    package init(clip: ClipReport) {
        self.clip = clip
    }

    package init(destination: DestinationReport) {
        self.destination = destination
    }

    package init(retried: [String]) {
        self.retried = retried
    }

    package init(error: ErrorReport) {
        self.error = error
    }
}

/// A stretch of the past that was saved.
package struct ClipReport: Codable, Sendable, Equatable {
    package var path: String
    /// Seconds since the session's start, and of its length.
    package var start: Double
    package var duration: Double

    package init(path: String, start: Double, duration: Double) {
        self.path = path
        self.start = start
        self.duration = duration
    }
}

/// JSON as it goes over the socket and to scripts: snake case, keys in order.
package enum ControlJSON {
    /// A line without its newline.
    package static func encode(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = pretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        // These types hold strings, numbers and booleans only: encoding them cannot fail.
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    /// Keys as they are: those of a dictionary are someone else's, and must not be turned into snake case and back.
    package static func encodeAsIs(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }

    package static func decodeAsIs<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: some Sequence<UInt8>) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: Data(bytes))
    }
}
