import FoundationEssentials

/// What an extension answers: one JSON object on a line. Unknown keys are ignored.
public struct Reply: Codable, Equatable, Sendable {
    /// Why an extension ends the broadcast: ReplayKit's `finishBroadcastWithError`.
    public struct Failure: Codable, Equatable, Sendable {
        /// In the manner of HTTP's; 401 and 403 mean that the user has to sign in.
        public var code: Int
        /// A sentence for the user. It must hold nothing secret.
        public var message: String
        /// True where it may work later.
        public var retry: Bool?

        public init(code: Int, message: String, retry: Bool? = nil) {
            self.code = code
            self.message = message
            self.retry = retry
        }
    }

    /// The protocol's version, 1: the first line.
    public var hello: Int?
    /// False beside `hello` where the far end has yet to take something: true follows once it has. Later false says that it was lost.
    public var ready: Bool?
    /// What waits in it to be sent, in milliseconds of the broadcast.
    public var queueMilliseconds: Int?
    /// What it is doing, for people.
    public var status: String?
    /// Where viewers can watch.
    public var watchURL: String?
    /// `keyframe`: the next picture is to be one.
    public var request: String?
    public var error: Failure?

    enum CodingKeys: String, CodingKey {
        case hello, ready, status, request, error
        case queueMilliseconds = "queue_ms"
        case watchURL = "watch_url"
    }

    public init(
        hello: Int? = nil, ready: Bool? = nil, queueMilliseconds: Int? = nil, status: String? = nil, watchURL: String? = nil,
        request: String? = nil, error: Failure? = nil
    ) {
        self.hello = hello
        self.ready = ready
        self.queueMilliseconds = queueMilliseconds
        self.status = status
        self.watchURL = watchURL
        self.request = request
        self.error = error
    }

    /// Reads a line; nil where it is no JSON object, or a known key has a value of another type.
    public init?(line: some Sequence<UInt8>) {
        guard let reply = try? JSONDecoder().decode(Reply.self, from: Data(line)) else { return nil }
        self = reply
    }

    /// The line with its newline.
    public var line: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and booleans only: encoding cannot fail.
        return ((try? encoder.encode(self)).map { Array($0) } ?? []) + [0x0a]
    }
}
