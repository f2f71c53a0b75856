import Media

/// One destination's uploader, with the lifecycle of ReplayKit's `RPBroadcastSampleHandler`.
///
/// The calls come one after another, never two at a time: `started`, then any number of `process`, `paused`, `resumed` and
/// `annotated`, and at the end `finished`, also after a call that threw. A handler runs on its destination's own thread and
/// may block there. When its task is cancelled it is to give up waiting for the far end.
package protocol SampleHandler: Sendable {
    /// The broadcast begins, with the formats of the tracks that will come.
    func started(_ stream: StreamDescription) async throws(UploadError)
    /// The next packet. Suspending here is how a destination says that it is slow.
    func process(_ packet: EncodedPacket) async throws(UploadError)
    /// The user paused the broadcast.
    func paused() async throws(UploadError)
    /// The user goes on.
    func resumed() async throws(UploadError)
    /// The application on screen changed, or the user gave metadata.
    func annotated(_ information: [String: String]) async throws(UploadError)
    /// Nothing more comes: write out and close what there is, within `deadline`.
    func finished(deadline: Duration) async throws(UploadError)

    /// Gives the handler the way to ask for a keyframe; called once, before `started`.
    func attach(requestKeyframe: @escaping @Sendable () -> Void)

    /// Where viewers can watch, if the far end has said so; may be asked at any time, like the others below.
    var watchURL: String? { get }
    /// What the far end says that it is doing.
    var statusText: String? { get }
    /// False while the far end does not take what is sent, though `started` has returned; the state says so.
    var isReady: Bool { get }
    /// What was taken and waits, at the far end of a pipe, to be sent.
    var backlog: MediaTime { get }
    /// Bytes written or sent so far; may be asked at any time, also while a call blocks.
    var byteCount: Int { get }
}

extension SampleHandler {
    package func attach(requestKeyframe: @escaping @Sendable () -> Void) {}
    package var watchURL: String? { nil }
    package var statusText: String? { nil }
    package var isReady: Bool { true }
    package var backlog: MediaTime { .zero }
    package func paused() async throws(UploadError) {}
    package func resumed() async throws(UploadError) {}
    package func annotated(_ information: [String: String]) async throws(UploadError) {}
}
