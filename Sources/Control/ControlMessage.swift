import FoundationEssentials

/// A request of a client: one JSON object on a line. Unknown fields are ignored.
package struct ControlRequest: Codable, Sendable, Equatable {
    /// `status`, `stop`, `pause`, `resume`, `mic`, `annotate`, `clip`, `add-destination`, `remove-destination`,
    /// `retry`, `hide`, `unhide` or `events`.
    package var command: String
    /// For `mic`: `on`, `off` or `toggle`. For `hide` and `unhide`: a rule, `class:NAME`, `title:*TEXT*`, `pid:NUMBER`
    /// or `id:0xNUMBER`.
    package var value: String?
    /// For `annotate`.
    package var values: [String: String]?
    /// For `add-destination`, `remove-destination` and `retry`.
    package var destination: String?
    /// For `add-destination` and `remove-destination`: the folder for relative paths.
    package var folder: String?
    /// For `clip`: the length in seconds, and the path of the file.
    package var last: Double?
    package var path: String?

    package init(command: String, value: String? = nil, values: [String: String]? = nil) {
        self.command = command
        self.value = value
        self.values = values
    }
}

/// The answer of a session: one JSON object on a line.
package struct ControlReply: Codable, Sendable, Equatable {
    /// The current state of the session, or its final state.
    package var session: SessionReport?
    package var error: ErrorReport?
    /// For `mic`: true if the microphone is now on.
    package var microphone: Bool?
    /// For `clip`: the saved clip.
    package var clip: ClipReport?
    /// For `add-destination` and `remove-destination`: the destination that was added or removed.
    package var destination: DestinationReport?
    /// For `retry`: the destinations that are retried now.
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

/// JSON for the socket and for scripts: snake case, with sorted keys, and without a character that a terminal obeys.
package enum ControlJSON {
    /// Returns a line without its newline.
    package static func encode(_ value: some Encodable, pretty: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = pretty ? [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
        // These types contain only strings, numbers and booleans, so encoding cannot fail.
        return withoutControlCharacters((try? encoder.encode(value)).map { Array($0) } ?? [])
    }

    /// Encodes without key conversion. The keys of a dictionary come from outside, and a conversion to snake case and
    /// back could change them.
    package static func encodeAsIs(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return withoutControlCharacters((try? encoder.encode(value)).map { Array($0) } ?? [])
    }

    /// Escapes DEL and the C1 control characters (U+0080 to U+009F), which JSON allows in strings and terminals obey. The
    /// encoder has escaped the C0 ones.
    private static func withoutControlCharacters(_ json: [UInt8]) -> [UInt8] {
        func escape(_ code: UInt8) -> [UInt8] { Array("\\u00\(String(code, radix: 16))".utf8) }
        var result: [UInt8] = []
        var index = json.startIndex
        while index < json.endIndex {
            let byte = json[index]
            // In UTF-8 a C1 character is C2 and its code.
            if byte == 0xc2, index + 1 < json.endIndex, (0x80...0x9f).contains(json[index + 1]) {
                index += 1
                result += escape(json[index])
            } else if byte == 0x7f {
                result += escape(byte)
            } else {
                result.append(byte)
            }
            index += 1
        }
        return result
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
