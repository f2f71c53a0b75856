import Media

/// The protocol that an extension implements. It corresponds to ReplayKit's `RPBroadcastSampleHandler`, for a program
/// that `broadcast` starts.
///
/// The calls are sequential and on one thread: `started`, then any number of the others, then `finished`. If a call
/// throws, the broadcast ends for this destination; throw a `BroadcastFailure` to choose the message for the user. Do
/// not write to standard output, which carries the protocol. Standard error is copied to the session's log.
///
/// A complete extension, with its manifest next to it (`mode = "samples"`, `video = "h264-annexb"`, `audio = "none"`):
///
///     import BroadcastExtension
///
///     final class FrameCounter: BroadcastSampleHandler {
///         private var host: BroadcastHost?
///         private var frames = 0
///
///         func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
///             guard broadcast.setup["account"] != nil else {
///                 throw BroadcastFailure(code: 401, message: "Not Logged In")
///             }
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
    /// The broadcast starts.
    func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws
    /// The timeline began: a sample of the presentation time zero was taken at this value of `CLOCK_MONOTONIC`, in
    /// nanoseconds (clock_gettime(2)). Comes before the first sample of a live destination.
    func timelineBegan(at clock: Int64) throws
    /// The user paused the broadcast.
    func paused() throws
    /// The user resumed the broadcast.
    func resumed() throws
    /// The application on screen changed, or the user set metadata.
    func annotated(_ information: [String: String]) throws
    /// The decoder configuration of a track, before its first sample: parameter sets (H.264), an AudioSpecificConfig
    /// (AAC), or the identification header of Opus.
    func configured(_ track: Track, data: [UInt8]) throws
    /// The next sample of a track.
    func process(_ sample: BroadcastSample) throws
    /// A finished MP4 file (`mode = "clips"`). The extension owns the file and must move or delete it.
    func process(_ clip: BroadcastClip) throws
    /// The broadcast ended. The extension has 5 s to write its remaining output and close.
    func finished() throws
}

extension BroadcastSampleHandler {
    public func timelineBegan(at clock: Int64) throws {}
    public func paused() throws {}
    public func resumed() throws {}
    public func annotated(_ information: [String: String]) throws {}
    public func configured(_ track: Track, data: [UInt8]) throws {}
    public func process(_ sample: BroadcastSample) throws {}
    public func process(_ clip: BroadcastClip) throws {}
}

/// The information for a handler at the start.
public struct BroadcastStart: Sendable {
    /// The answers to the manifest's questions.
    public let setup: [String: String]
    public let tracks: [ControlEvent.Track]
    /// The title of the broadcast, set by the user.
    public let title: String?
    /// True if an earlier process of this destination was live and ended early: the user's settings were right, so try
    /// again until the host ends the program.
    public let wasLive: Bool

    /// Creates the information, for a test of a handler.
    public init(
        setup: [String: String] = [:], tracks: [ControlEvent.Track], title: String? = nil, wasLive: Bool = false
    ) {
        self.setup = setup
        self.tracks = tracks
        self.title = title
        self.wasLive = wasLive
    }
}

/// One sample of a track, in the format that the manifest requests.
public struct BroadcastSample: Sendable {
    public let track: Track
    public let presentationTime: MediaTime
    public let decodeTime: MediaTime
    public let isKeyframe: Bool
    /// True if samples between the previous one and this one were dropped.
    public let hasGapBefore: Bool
    /// The sample's number within the track. A jump shows that samples were dropped.
    public let sequence: UInt32
    public let data: [UInt8]

    /// Creates a sample, for a test of a handler.
    public init(
        track: Track, presentationTime: MediaTime, decodeTime: MediaTime, isKeyframe: Bool, hasGapBefore: Bool = false,
        sequence: UInt32,
        data: [UInt8]
    ) {
        self.track = track
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.isKeyframe = isKeyframe
        self.hasGapBefore = hasGapBefore
        self.sequence = sequence
        self.data = data
    }
}

/// A finished, playable MP4 file that starts with a keyframe.
public struct BroadcastClip: Sendable {
    /// An absolute path.
    public let path: String
    /// The time since the broadcast's start.
    public let start: MediaTime
    public let duration: MediaTime

    /// Creates a clip, for a test of a handler.
    public init(path: String, start: MediaTime, duration: MediaTime) {
        self.path = path
        self.start = start
        self.duration = duration
    }
}

/// The reason why an extension ends the broadcast, with a message for the user.
public struct BroadcastFailure: Error, Equatable, Sendable {
    /// An HTTP-style code. 401 and 403 mean that the user must sign in.
    public var code: Int
    /// A sentence without secrets.
    public var message: String
    /// True if a retry can succeed.
    public var retry: Bool

    public init(code: Int, message: String, retry: Bool = false) {
        self.code = code
        self.message = message
        self.retry = retry
    }
}
