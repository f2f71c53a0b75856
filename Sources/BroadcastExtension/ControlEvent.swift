import FoundationEssentials

/// What a control frame says. The host writes it, an extension reads it; unknown keys are ignored.
public struct ControlEvent: Codable, Equatable, Sendable {
    /// A track that will come.
    public struct Track: Codable, Equatable, Sendable {
        /// `screen`, `app`, `mic` or `mixed`.
        public var name: String
        /// The number in the frames' headers.
        public var id: UInt8
        /// `h264-annexb`, `h264-avcc`, `i420`, `aac-adts`, `aac-raw` or `s16le`; a clip's tracks are in the file.
        public var format: String
        /// Pixels.
        public var width: Int?
        /// Pixels.
        public var height: Int?
        /// Nominal frames a second.
        public var fps: Int?
        /// Sample frames a second.
        public var sampleRate: Int?
        public var channels: Int?

        enum CodingKeys: String, CodingKey {
            case name, id, format, width, height, fps, channels
            case sampleRate = "sample_rate"
        }

        public init(
            name: String, id: UInt8, format: String, width: Int? = nil, height: Int? = nil, fps: Int? = nil, sampleRate: Int? = nil,
            channels: Int? = nil
        ) {
            self.name = name
            self.id = id
            self.format = format
            self.width = width
            self.height = height
            self.fps = fps
            self.sampleRate = sampleRate
            self.channels = channels
        }
    }

    /// `start`, `pause`, `resume`, `annotate`, `clip` or `finish`; others are to be ignored.
    public var event: String
    /// Of `start`: the answers to the manifest's questions.
    public var setup: [String: String]?
    /// Of `start`.
    public var tracks: [Track]?
    /// Of `start`: what the user calls the broadcast.
    public var title: String?
    /// Of `annotate`: the application on screen, or what the user gave.
    public var information: [String: String]?
    /// Of `clip`: an MP4 file; it belongs to the extension, which moves or deletes it.
    public var path: String?
    /// Of `clip`: seconds since the broadcast's start.
    public var start: Double?
    /// Of `clip`: seconds.
    public var duration: Double?

    public init(event: String) {
        self.event = event
    }

    /// Reads the payload of a control frame; nil where it is no such JSON.
    public init?(json: [UInt8]) {
        guard let event = try? JSONDecoder().decode(ControlEvent.self, from: Data(json)) else { return nil }
        self = event
    }

    /// One JSON object, keys in order.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, finite numbers and lists of them: encoding cannot fail.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
