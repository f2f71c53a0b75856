import BroadcastExtension
import Media

/// Passes framed samples to an extension's process (`mode = "samples"`).
package actor ExtensionSamplesHandler: SampleHandler {
    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch
    private let link = ExtensionLink()
    private var channel: ExtensionChannel?
    private var packetizer = SamplePacketizer()
    private var hasSentClock = false

    package nonisolated var byteCount: Int { link.byteCount.load(ordering: .relaxed) }
    package nonisolated var remarks: HandlerRemarks { link.remarks }

    package init(manifest: ExtensionManifest, launch: ExtensionLaunch) {
        self.manifest = manifest
        self.launch = launch
    }

    package nonisolated func attach(_ context: HandlerContext) {
        link.attach(context)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        if let problem = manifest.problem { throw .extension(name: manifest.name, problem) }
        if manifest.takesRawVideo, let video = stream.video, let count = video.rawPictureByteCount,
            count > FrameHeader.maximumPayloadByteCount
        {
            throw .extension(
                name: manifest.name, .pictureTooLarge(video.size, limit: FrameHeader.maximumPayloadByteCount))
        }
        let channel = try ExtensionChannel(manifest: manifest, launch: launch, link: link)
        self.channel = channel
        packetizer = SamplePacketizer(stream, video: manifest.video, audio: manifest.audio)
        try channel.send(
            .start(setup: launch.setup, tracks: packetizer.tracks, title: stream.title, wasLive: link.wasLive))
        for (track, data) in packetizer.configurations {
            try channel.send(
                FrameHeader(length: data.count, kind: .configuration, track: track.rawValue), payload: data)
        }
        try channel.waitForHello()
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        guard let channel else { return }
        guard let payload = packetizer.payload(of: packet) else { return try channel.listen() }
        if !hasSentClock {
            hasSentClock = true
            if let origin = link.clockOrigin { try channel.send(.clock(origin)) }
        }
        var flags = FrameHeader.Flags()
        if packet.isKeyframe { flags.insert(.keyframe) }
        if packet.isDiscontinuity { flags.insert(.discontinuity) }
        let header = FrameHeader(
            length: payload.count, kind: .sample, track: packet.track.rawValue, flags: flags, sequence: packet.sequence,
            presentationTime: packet.presentationTime.nanoseconds, decodeTime: packet.decodeTime.nanoseconds)
        try channel.send(header, payload: payload)
    }

    package func paused() async throws(UploadError) { try channel?.send(ControlEvent(event: "pause")) }
    package func resumed() async throws(UploadError) { try channel?.send(ControlEvent(event: "resume")) }
    package func annotated(_ information: [String: String]) async throws(UploadError) {
        try channel?.send(.annotate(information))
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard let channel else { return }
        self.channel = nil
        guard deadline > .zero else { return channel.terminate() }
        do throws(UploadError) {
            try channel.send(ControlEvent(event: "finish"))
            try channel.finish()
        } catch {
            channel.terminate()
            throw error
        }
    }
}

extension ControlEvent {
    static func start(setup: [String: String], tracks: [ControlEvent.Track], title: String?, wasLive: Bool = false)
        -> ControlEvent
    {
        var event = ControlEvent(event: "start")
        event.setup = setup
        event.tracks = tracks
        event.title = title
        if wasLive { event.wasLive = true }
        return event
    }

    static func clock(_ origin: Int64) -> ControlEvent {
        var event = ControlEvent(event: "clock")
        event.clock = origin
        return event
    }

    static func annotate(_ information: [String: String]) -> ControlEvent {
        var event = ControlEvent(event: "annotate")
        event.information = information
        return event
    }
}
