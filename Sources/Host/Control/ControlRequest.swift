/// A request of a client.
///
/// Its `Codable` form is the JSON object of one line (docs/protocols.md, "Requests"; docs/control.schema.json). The
/// reader ignores unknown fields.
package enum ControlRequest: Sendable, Equatable {
    case status
    case stop
    case pause
    case resume
    case microphone(MicrophoneChoice)
    /// Sends metadata to every destination; not empty.
    case annotate([String: String])
    /// Saves the last seconds. `last` is in seconds, nil for the standard length; `path` is absolute.
    case clip(last: Double?, path: String)
    /// `destination` is anything that `--to` accepts, and not empty. Relative paths start at `folder`.
    case addDestination(String, folder: String?)
    /// `destination` is a name or the path of a file; empty if the request has none. Relative paths start at `folder`.
    case removeDestination(String, folder: String?)
    /// Nil retries all destinations that wait for a retry.
    case retry(destination: String?)
    /// `rule` is `class:NAME`, `title:*TEXT*`, `pid:NUMBER` or `id:0xNUMBER`; empty if the request has none.
    case hide(rule: String)
    case unhide(rule: String)
    /// Follows the events. `ControlServer` replies to it with a stream of `EventReport`.
    case events

    package enum MicrophoneChoice: String, Sendable, CaseIterable {
        case on, off, toggle
    }
}

/// Why a JSON object with a command is not a request that a session knows.
package enum InvalidRequest: Error, Sendable, Equatable {
    case unknownCommand(String)
    case notOnOffOrToggle
    case nothingToAnnotate
    /// The request has no path, or a relative one.
    case clipWithoutPath
    case noDestinationNamed
}

extension ControlRequest {
    /// The `command` of a request.
    package enum Command: String, Sendable, CaseIterable {
        case status, stop, pause, resume
        case microphone = "mic"
        case annotate, clip
        case addDestination = "add-destination"
        case removeDestination = "remove-destination"
        case retry, hide, unhide, events
    }

    /// The fields of the JSON object. A request uses some of them, but each one must have its type.
    private struct Fields: Codable {
        var command: String
        var value: String?
        var values: [String: String]?
        var destination: String?
        var folder: String?
        var last: Double?
        var path: String?

        init(_ command: Command) { self.command = command.rawValue }
    }

    /// Reads a line. Returns nil if it is not a JSON object with a string `command`, or if a known field has a wrong
    /// type.
    package static func parse(_ line: some Sequence<UInt8>) -> Result<ControlRequest, InvalidRequest>? {
        ControlJSON.decode(Fields.self, from: line).map { fields in
            Result { () throws(InvalidRequest) in try ControlRequest(fields) }
        }
    }

    private init(_ fields: Fields) throws(InvalidRequest) {
        guard let command = Command(rawValue: fields.command) else { throw .unknownCommand(fields.command) }
        switch command {
        case .status: self = .status
        case .stop: self = .stop
        case .pause: self = .pause
        case .resume: self = .resume
        case .microphone:
            guard let choice = fields.value.flatMap(MicrophoneChoice.init(rawValue:)) else { throw .notOnOffOrToggle }
            self = .microphone(choice)
        case .annotate:
            guard let values = fields.values, !values.isEmpty else { throw .nothingToAnnotate }
            self = .annotate(values)
        case .clip:
            guard let path = fields.path, path.hasPrefix("/") else { throw .clipWithoutPath }
            self = .clip(last: fields.last, path: path)
        case .addDestination:
            guard let destination = fields.destination, !destination.isEmpty else { throw .noDestinationNamed }
            self = .addDestination(destination, folder: fields.folder)
        case .removeDestination: self = .removeDestination(fields.destination ?? "", folder: fields.folder)
        case .retry: self = .retry(destination: fields.destination)
        case .hide: self = .hide(rule: fields.value ?? "")
        case .unhide: self = .unhide(rule: fields.value ?? "")
        case .events: self = .events
        }
    }

    private var fields: Fields {
        var fields = Fields(command)
        switch self {
        case .status, .stop, .pause, .resume, .events: break
        case .microphone(let choice): fields.value = choice.rawValue
        case .annotate(let values): fields.values = values
        case .clip(let last, let path):
            fields.last = last
            fields.path = path
        case .addDestination(let destination, let folder), .removeDestination(let destination, let folder):
            fields.destination = destination
            fields.folder = folder
        case .retry(let destination): fields.destination = destination
        case .hide(let rule), .unhide(let rule): fields.value = rule
        }
        return fields
    }

    /// The `command` of its JSON object.
    package var command: Command {
        switch self {
        case .status: .status
        case .stop: .stop
        case .pause: .pause
        case .resume: .resume
        case .microphone: .microphone
        case .annotate: .annotate
        case .clip: .clip
        case .addDestination: .addDestination
        case .removeDestination: .removeDestination
        case .retry: .retry
        case .hide: .hide
        case .unhide: .unhide
        case .events: .events
        }
    }
}

extension ControlRequest: Codable {
    /// Throws `InvalidRequest`, or the decoder's error.
    package init(from decoder: any Decoder) throws {
        try self.init(Fields(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try fields.encode(to: encoder)
    }
}
