import FoundationEssentials

/// A message from the extension to the host: one JSON object on a line. Unknown keys are ignored.
public struct Reply: Codable, Equatable, Sendable {
    /// The reason why an extension ends the broadcast. It corresponds to ReplayKit's `finishBroadcastWithError`.
    public struct Failure: Codable, Equatable, Sendable {
        /// An HTTP-style code. 401 and 403 mean that the user must sign in.
        public var code: Int
        /// A sentence for the user. It must contain no secrets.
        public var message: String
        /// True if a retry can succeed.
        public var retry: Bool?

        public init(code: Int, message: String, retry: Bool? = nil) {
            self.code = code
            self.message = message
            self.retry = retry
        }
    }

    /// What a viewer wrote.
    public struct Comment: Codable, Equatable, Sendable {
        /// The name that the viewer goes by.
        public var from: String
        public var text: String

        public init(from: String, text: String) {
            self.from = from
            self.text = text
        }
    }

    /// The version of the protocol, 1. It is in the first line.
    public var hello: Int?
    /// False together with `hello` if the remote service has not accepted anything yet; true follows when it has. A
    /// later false means that the connection was lost.
    public var ready: Bool?
    /// The media time in milliseconds that waits in the extension to be sent.
    public var queueMilliseconds: Int?
    /// The bitrate of picture and sound in kbit/s that the far end accepts. The host sends at most that. 0 if it
    /// is not known any more.
    public var bitrate: Int?
    /// The current state as text for the user.
    public var status: String?
    /// The address at which viewers can watch.
    public var watchURL: String?
    /// `keyframe` requests a keyframe as the next video frame.
    public var request: String?
    /// How many people watch now.
    public var viewers: Int?
    /// A comment that arrived.
    public var comment: Comment?
    public var error: Failure?

    enum CodingKeys: String, CodingKey {
        case hello, ready, status, request, viewers, comment, error
        case queueMilliseconds = "queue_ms"
        case bitrate = "bitrate_kbps"
        case watchURL = "watch_url"
    }

    public init(
        hello: Int? = nil, ready: Bool? = nil, queueMilliseconds: Int? = nil, bitrate: Int? = nil,
        status: String? = nil, watchURL: String? = nil,
        request: String? = nil, viewers: Int? = nil, comment: Comment? = nil, error: Failure? = nil
    ) {
        self.hello = hello
        self.ready = ready
        self.queueMilliseconds = queueMilliseconds
        self.bitrate = bitrate
        self.status = status
        self.watchURL = watchURL
        self.request = request
        self.viewers = viewers
        self.comment = comment
        self.error = error
    }

    /// Parses a line. Returns nil if it is not a JSON object, or if a known key has a value of the wrong type.
    public init?(line: some Sequence<UInt8>) {
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(line)) else { return nil }
        self = reply
    }

    /// The line with its newline.
    public var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All values are strings, numbers or booleans, so encoding cannot fail.
        return ((try? encoder.encode(self)).map { Array($0) } ?? []) + [0x0a]
    }
}
