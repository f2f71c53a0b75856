import Media

/// One destination's uploader, with the lifecycle of ReplayKit's `RPBroadcastSampleHandler`.
///
/// The calls are sequential: `started`, then any number of `process`, `paused`, `resumed` and `annotated`, and at the
/// end `finished`, also after a call that threw. A handler runs on its destination's own thread and may block there. If
/// its task is cancelled, it must stop waiting for the far end.
package protocol SampleHandler: Sendable {
    /// The broadcast starts with these track formats.
    func started(_ stream: StreamDescription) async throws(UploadError)
    /// Delivers the next packet. A slow destination suspends here.
    func process(_ packet: EncodedPacket) async throws(UploadError)
    /// The user paused the broadcast.
    func paused() async throws(UploadError)
    /// The user resumed the broadcast.
    func resumed() async throws(UploadError)
    /// The application on screen changed, or the user sent metadata.
    func annotated(_ information: [String: String]) async throws(UploadError)
    /// The broadcast ended: write the rest and close, within `deadline`. Zero means to close at once.
    func finished(deadline: Duration) async throws(UploadError)

    /// Connects the handler to its session. Called once, before `started`.
    func attach(_ context: HandlerContext)

    /// The far end's last remarks. Thread-safe.
    var remarks: HandlerRemarks { get }
    /// The number of bytes written or sent so far. Thread-safe, also while a call blocks.
    var byteCount: Int { get }
}

extension SampleHandler {
    package func attach(_ context: HandlerContext) {}
    package var remarks: HandlerRemarks { HandlerRemarks() }
    package func paused() async throws(UploadError) {}
    package func resumed() async throws(UploadError) {}
    package func annotated(_ information: [String: String]) async throws(UploadError) {}
}

/// What a session gives a handler: functions, which return at once on any thread, and what happened before.
package struct HandlerContext: Sendable {
    /// Requests that the next picture is an IDR picture.
    package var requestKeyframe: @Sendable () -> Void
    package var report: @Sendable (UploadNotice) -> Void
    package var comment: @Sendable (ViewerComment) -> Void
    /// Tells that the bitrate in the remarks has fallen.
    package var acceptsLess: @Sendable () -> Void
    /// `CLOCK_MONOTONIC` in nanoseconds at the session's time zero; nil before the session has begun.
    package var clockOrigin: @Sendable () -> Int64?
    /// True if an earlier handler of the destination was live.
    package var wasLive = false

    package init(
        requestKeyframe: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (UploadNotice) -> Void = { _ in },
        comment: @escaping @Sendable (ViewerComment) -> Void = { _ in },
        acceptsLess: @escaping @Sendable () -> Void = {},
        clockOrigin: @escaping @Sendable () -> Int64? = { nil }
    ) {
        self.requestKeyframe = requestKeyframe
        self.report = report
        self.comment = comment
        self.acceptsLess = acceptsLess
        self.clockOrigin = clockOrigin
    }
}

/// What a viewer wrote to a destination. The text comes from strangers, and has no control characters.
package struct ViewerComment: Sendable, Equatable {
    /// The name that the viewer goes by.
    package var name: String
    package var text: String

    package init(name: String, text: String) {
        (self.name, self.text) = (name, text)
    }
}

/// The last remarks of a destination's far end about itself.
package struct HandlerRemarks: Sendable, Equatable {
    /// The address at which viewers can watch.
    package var watchURL: String?
    /// The far end's description of its state.
    package var status: String?
    /// What the far end reported about its state after the end of the broadcast, as part of its result.
    package var finalStatus: String?
    /// False while the far end does not accept data although `started` has returned.
    package var isReady = true
    /// True if `isReady` is what the far end answered, and not only an assumption.
    package var isConfirmed = false
    /// The duration of the media that the far end has received and not sent yet.
    package var backlog = MediaTime.zero
    /// True if it writes an ordinary file: a slow disk takes all of it in the end.
    package var isOnDisk = false
    /// The bitrate of picture and sound in kbit/s that the far end accepts; nil if it does not say.
    package var bitrate: Int?
    /// How many people watch; nil if the far end does not say.
    package var viewers: Int?

    package init() {}
}

/// A notice for the user about a destination that continues.
package enum UploadNotice: Sendable, Equatable {
    /// The named pipe has no reader yet; the destination waits for one.
    case waitsForReader(path: String)
    /// An older file was moved to another name.
    case keptOlderFile(path: String, as: String)
    /// A line that an extension wrote to its standard error.
    case extensionSaid(name: String, line: String)
    /// An extension writes more to its standard error than the log accepts; the rest is dropped.
    case extensionLogFlood(name: String)
    /// An extension did not remove its clips; the oldest one was removed so that they do not fill the disk.
    case removedClip(name: String, path: String)
    /// The far end accepted the stream that many times in a row and gave it up within a minute. The next tries are
    /// slower.
    case unstable(connections: Int)
    /// The server asks for a new connection again and again, and is obeyed less often now.
    case movesOften
    /// The disk has room for so much more of the recording.
    case diskFillsUp(path: String, MediaTime)
}
