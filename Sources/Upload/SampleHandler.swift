import Media

/// One destination's uploader, with the lifecycle of ReplayKit's `RPBroadcastSampleHandler`.
///
/// The calls come one after another, never two at a time: `started`, then any number of `process`, `paused`, `resumed` and `annotated`, and
/// at the end `finished`, also after a call that threw. A handler runs on its destination's own thread and may block there. When its task is
/// cancelled it must stop waiting for the far end.
package protocol SampleHandler: Sendable {
    /// The broadcast starts, with the formats of the tracks that will come.
    func started(_ stream: StreamDescription) async throws(UploadError)
    /// The next packet. A destination that is slow suspends here.
    func process(_ packet: EncodedPacket) async throws(UploadError)
    /// The user paused the broadcast.
    func paused() async throws(UploadError)
    /// The user resumed the broadcast.
    func resumed() async throws(UploadError)
    /// The application on screen changed, or the user gave metadata.
    func annotated(_ information: [String: String]) async throws(UploadError)
    /// Nothing more comes: write out and close, within `deadline`. Zero means: close at once.
    func finished(deadline: Duration) async throws(UploadError)

    /// Connects the handler to its session. Called once, before `started`.
    func attach(_ context: HandlerContext)

    /// What the far end reported. Thread-safe.
    var remarks: HandlerRemarks { get }
    /// Bytes written or sent so far. Thread-safe, also while a call blocks.
    var byteCount: Int { get }
}

extension SampleHandler {
    package func attach(_ context: HandlerContext) {}
    package var remarks: HandlerRemarks { HandlerRemarks() }
    package func paused() async throws(UploadError) {}
    package func resumed() async throws(UploadError) {}
    package func annotated(_ information: [String: String]) async throws(UploadError) {}
}

/// What a handler can ask of its session. Both calls return at once, on any thread.
package struct HandlerContext: Sendable {
    /// The next picture should be an IDR picture.
    package var requestKeyframe: @Sendable () -> Void
    package var report: @Sendable (UploadNotice) -> Void

    package init(requestKeyframe: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (UploadNotice) -> Void = { _ in }) {
        self.requestKeyframe = requestKeyframe
        self.report = report
    }
}

/// What the far end of a destination reported about itself.
package struct HandlerRemarks: Sendable, Equatable {
    /// Where viewers can watch.
    package var watchURL: String?
    /// What the far end is doing, in its own words.
    package var status: String?
    /// False while the far end does not accept data, although `started` has returned.
    package var isReady = true
    /// Media that the far end has taken and not sent yet.
    package var backlog = MediaTime.zero

    package init() {}
}

/// Something that the user should know about a destination that goes on.
package enum UploadNotice: Sendable, Equatable {
    /// The named pipe has no reader yet; the destination waits for one.
    case waitsForReader(path: String)
    /// An older file was moved to another name.
    case keptOlderFile(path: String, as: String)
    /// A line that an extension wrote to its standard error.
    case extensionSaid(name: String, line: String)
    /// An extension writes more to its standard error than the log takes; the rest is left out.
    case extensionLogFlood(name: String)
    /// An extension did not remove its clips; the oldest one was removed so that they do not fill the disk.
    case removedClip(name: String, path: String)
}
