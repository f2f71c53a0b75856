import Bitstream
import BroadcastExtension
import Media
import NIOCore
import NIOWebSocket

/// The viewers of a broadcast, and what they get. Everything happens on one event loop.
final class Audience {
    /// Connections above this number are refused: each costs memory and a descriptor.
    static let maximumViewers = 50
    /// How long a new viewer waits for the keyframe that was requested, before the newest group of pictures is sent.
    private static let keyframeWait = TimeAmount.milliseconds(300)
    /// A group that is younger is sent at once: another keyframe would hardly be sooner. Browsers take longer to catch
    /// up on an older one than to wait for a keyframe.
    private static let freshGroup = Duration.milliseconds(700)
    /// The time between two requests for a keyframe.
    private static let requestInterval = Duration.milliseconds(500)

    private let loop: any EventLoop
    private let host: BroadcastHost
    private var stream: LiveStream?
    private var keyframeArrival: ContinuousClock.Instant?
    private var lastRequest: ContinuousClock.Instant?
    /// A request that came too soon after the last one, for the time when it may be made.
    private var waitingRequest: Scheduled<Void>?
    private var viewers: [ObjectIdentifier: Viewer] = [:]
    /// The viewers by WebRTC, most of which also have a socket here.
    let rtc: RTCViewers
    /// The players of HLS. Those that are no pages are not counted.
    let segmented: SegmentedViewers
    private var isPaused = false
    private var isOver = false

    init(loop: any EventLoop, host: BroadcastHost) {
        self.loop = loop
        self.host = host
        rtc = RTCViewers(loop: loop)
        segmented = SegmentedViewers(loop: loop)
        segmented.onKeyframeNeeded = { [weak self] in self?.requestKeyframe() }
        rtc.onKeyframeNeeded = { [weak self] in self?.requestKeyframe() }
        rtc.onCountChange = { [weak self] in self?.countChanged() }
        rtc.hasSocket = { [weak self] id in self?.viewers.values.contains { $0.id == id } ?? false }
    }

    // MARK: The broadcast

    /// Starts a stream, or goes on with another one after a change of its format.
    func begin(
        _ stream: LiveStream, _ video: VideoTrackFormat, _ record: AVCDecoderConfigurationRecord, sound: AudioFormat?,
        origin: Int64?
    ) {
        loop.assertInEventLoop()
        self.stream = stream
        keyframeArrival = nil
        rtc.begin(record, sound: sound, origin: origin)
        segmented.begin(video, sound: sound)
        for viewer in viewers.values { viewer.begin(stream) }
    }

    func add(_ packet: EncodedPacket) {
        loop.assertInEventLoop()
        rtc.add(packet)
        segmented.add(packet)
        guard let fragment = stream?.add(packet) else { return }
        let now = ContinuousClock.now
        if fragment.isKeyframe {
            keyframeArrival = now
            waitingRequest?.cancel()
            waitingRequest = nil
        }
        for viewer in viewers.values { viewer.send(fragment, at: now) }
        // Each of them counts its own requests.
        if viewers.values.count(where: { $0.takesRequest(at: now) }) > 0 { requestKeyframe(at: now) }
    }

    func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        notify(.event(isPaused ? "pause" : "resume"))
    }

    /// Tells each viewer that it is over, and closes the connections.
    func end() -> EventLoopFuture<Void> {
        isOver = true
        waitingRequest?.cancel()
        // Before the sessions end, which a page would take for a loss.
        notify(.event("finish"))
        rtc.end()
        segmented.end()
        return EventLoopFuture.andAllComplete(viewers.values.compactMap { $0.close(.goingAway) }, on: loop)
    }

    private func notify(_ notice: PageNotice) {
        for viewer in viewers.values { viewer.tell(notice.json) }
    }

    // MARK: Viewers

    var isFull: Bool { viewers.count >= Self.maximumViewers }

    func join(_ viewer: Viewer) {
        loop.assertInEventLoop()
        guard !isFull, !isOver else {
            viewer.close(isOver ? .goingAway : .init(codeNumber: 1013))
            return
        }
        viewers[ObjectIdentifier(viewer)] = viewer
        viewer.tell(PageNotice.socket(viewer.id).json)
        countChanged()
        if isPaused { viewer.tell(PageNotice.event("pause").json) }
        guard let stream else { return }
        viewer.begin(stream)
        guard viewer.needsKeyframe else { return }
        let now = ContinuousClock.now
        if let keyframeArrival, now - keyframeArrival < Self.freshGroup {
            viewer.start(with: stream.group, at: now)
            return
        }
        requestKeyframe(at: now)
        loop.assumeIsolated().scheduleTask(in: Self.keyframeWait) { [self] in
            guard viewer.needsKeyframe, let stream = self.stream else { return }
            viewer.start(with: stream.group, at: .now)
        }
    }

    func leave(_ viewer: Viewer) {
        guard viewers.removeValue(forKey: ObjectIdentifier(viewer)) != nil else { return }
        countChanged()
    }

    func requestKeyframe(at now: ContinuousClock.Instant = .now) {
        if let lastRequest, now - lastRequest < Self.requestInterval {
            guard waitingRequest == nil else { return }
            let rest = MediaTime(Self.requestInterval - (now - lastRequest))
            waitingRequest = loop.assumeIsolated().scheduleTask(in: .nanoseconds(rest.nanoseconds)) { [weak self] in
                self?.waitingRequest = nil
                self?.requestKeyframe()
            }
            return
        }
        lastRequest = now
        host.requestKeyframe()
    }

    private func countChanged() {
        guard !isOver else { return }
        let count = viewers.count + rtc.count
        host.viewers(count)
        notify(.viewers(count))
    }
}
