import FoundationEssentials

/// The content of a control frame. The host writes it and the extension reads it. Unknown keys are ignored.
public struct ControlEvent: Codable, Equatable, Sendable {
    /// A track of the broadcast.
    public struct Track: Codable, Equatable, Sendable {
        /// `screen`, `app`, `mic` or `mixed`.
        public var name: String
        /// The track's number in frame headers.
        public var id: UInt8
        /// `h264-annexb`, `h264-avcc`, `i420`, `aac-adts`, `aac-raw`, `opus` or `s16le`. The tracks of a clip
        /// are in its file.
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
            name: String, id: UInt8, format: String, width: Int? = nil, height: Int? = nil, fps: Int? = nil,
            sampleRate: Int? = nil,
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

    /// `start`, `clock`, `pause`, `resume`, `annotate`, `clip` or `finish`. Ignore any other value.
    public var event: String
    /// For `start`: the answers to the manifest's questions.
    public var setup: [String: String]?
    /// For `start`.
    public var tracks: [Track]?
    /// For `start`: the title of the broadcast, set by the user.
    public var title: String?
    /// For `start`: true if an earlier process of this destination was live, so a server that cannot be reached or
    /// refuses is tried again, and a failure is not a user's mistake.
    public var wasLive: Bool?
    /// For `clock`: `CLOCK_MONOTONIC` in nanoseconds at the presentation time zero.
    public var clock: Int64?
    /// For `annotate`: the application on screen, or metadata from the user.
    public var information: [String: String]?
    /// For `clip`: the path of an MP4 file. The extension owns the file and must move or delete it.
    public var path: String?
    /// For `clip`: seconds since the broadcast's start.
    public var start: Double?
    /// For `clip`: seconds.
    public var duration: Double?

    enum CodingKeys: String, CodingKey {
        case event, setup, tracks, title, information, path, start, duration, clock
        case wasLive = "was_live"
    }

    public init(event: String) {
        self.event = event
    }

    /// Parses the payload of a control frame. Returns nil if it is not valid JSON of this form.
    public init?(json: [UInt8]) {
        guard let event = try? JSONDecoder().decode(ControlEvent.self, from: Data(json)) else { return nil }
        self = event
    }

    /// The event as one JSON object with sorted keys.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All values are strings, finite numbers or arrays of them, so encoding cannot fail.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}
