import Media

/// What the author of an extension writes: ReplayKit's `RPBroadcastSampleHandler` for a program that `broadcast` starts.
///
/// The calls come one after another, never two at a time, on one thread: `started`, then any number of the others, and last
/// `finished`. An error thrown from a call ends the broadcast for this destination; throw a `BroadcastFailure` to choose what
/// the user reads. Print nothing on standard output: it belongs to the protocol. Standard error goes to the session's log.
///
/// A complete extension, with the manifest beside it (`mode = "samples"`, `video = "h264-annexb"`, `audio = "none"`):
///
///     import BroadcastExtension
///
///     final class FrameCounter: BroadcastSampleHandler {
///         private var host: BroadcastHost?
///         private var frames = 0
///
///         func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
///             guard broadcast.setup["account"] != nil else { throw BroadcastFailure(code: 401, message: "Not Logged In") }
///             self.host = host
///             host.watchURL("https://example.com/watch")
///         }
///
///         func process(_ sample: BroadcastSample) throws {
///             if sample.hasGapBefore && !sample.isKeyframe { host?.requestKeyframe() }
///             if sample.track == .screen { frames += 1 }
///         }
///
///         func finished() throws {
///             host?.status("\(frames) frames")
///         }
///     }
///
///     @main
///     enum Main {
///         static func main() {
///             run(FrameCounter())
///         }
///     }
public protocol BroadcastSampleHandler: AnyObject {
    /// The broadcast begins.
    func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws
    /// The user paused it.
    func paused() throws
    /// The user goes on.
    func resumed() throws
    /// The application on screen changed, or the user gave metadata.
    func annotated(_ information: [String: String]) throws
    /// What a decoder needs before the track's first sample: parameter sets (H.264), an AudioSpecificConfig (AAC).
    func configured(_ track: Track, data: [UInt8]) throws
    /// The next sample of a track.
    func process(_ sample: BroadcastSample) throws
    /// A finished MP4 file (`mode = "clips"`). It belongs to the extension: move it or delete it.
    func process(_ clip: BroadcastClip) throws
    /// Nothing more comes; there are 5 s to write out and close.
    func finished() throws
}

extension BroadcastSampleHandler {
    public func paused() throws {}
    public func resumed() throws {}
    public func annotated(_ information: [String: String]) throws {}
    public func configured(_ track: Track, data: [UInt8]) throws {}
    public func process(_ sample: BroadcastSample) throws {}
    public func process(_ clip: BroadcastClip) throws {}
}

/// What a handler is told at the start.
public struct BroadcastStart: Sendable {
    /// The answers to the manifest's questions.
    public let setup: [String: String]
    public let tracks: [ControlEvent.Track]
    /// What the user calls the broadcast.
    public let title: String?
}

/// One sample of a track, in the format that the manifest asked for.
public struct BroadcastSample: Sendable {
    public let track: Track
    public let presentationTime: MediaTime
    public let decodeTime: MediaTime
    public let isKeyframe: Bool
    /// Samples were dropped between the one before and this one.
    public let hasGapBefore: Bool
    /// Counts the track's samples.
    public let sequence: UInt32
    public let data: [UInt8]
}

/// A finished, playable MP4 file that starts with a keyframe.
public struct BroadcastClip: Sendable {
    /// An absolute path.
    public let path: String
    /// Since the broadcast's start.
    public let start: MediaTime
    public let duration: MediaTime
}

/// Why an extension ends the broadcast, in words for the user.
public struct BroadcastFailure: Error, Equatable, Sendable {
    /// In the manner of HTTP's; 401 and 403 mean that the user has to sign in.
    public var code: Int
    /// A sentence without anything secret.
    public var message: String
    /// True where it may work later.
    public var retry: Bool

    public init(code: Int, message: String, retry: Bool = false) {
        self.code = code
        self.message = message
        self.retry = retry
    }
}
