import Bitstream
import BroadcastExtension
import Glibc
import Media
import NIOCore
import NIOPosix
import NetworkSupport

/// Serves a page with the broadcast to browsers in the same network.
package final class LANHandler: BroadcastSampleHandler {
    /// How long the end waits for the last messages to viewers.
    private static let endLimit = TimeAmount.seconds(1)

    private let group = EventLoops.make()
    private var audience: NIOLoopBound<Audience>?
    private var server: LANServer?
    private var start: BroadcastStart?
    private var record: AVCDecoderConfigurationRecord?
    private var isReconfigured = false
    private var origin: Int64?

    private var loop: any EventLoop { group.next() }

    package init() {}

    package func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        let settings = try LANSettings(setup: broadcast.setup)
        guard broadcast.tracks.contains(where: { $0.id == Track.screen.rawValue }) else {
            throw BroadcastFailure(code: 415, message: "There is no picture to show. Omit lan, or add a picture.")
        }
        start = broadcast
        let loop = loop
        let (audience, connections) = try loop.submit {
            (
                NIOLoopBound(Audience(loop: loop, host: host), eventLoop: loop),
                NIOLoopBound(Connections(), eventLoop: loop)
            )
        }.wait()
        let server = LANServer(loop: loop, audience: audience, connections: connections)
        try server.start(settings)
        self.audience = audience
        self.server = server
        host.status(server.consent)
        host.watchURL(server.url)
        host.viewers(0)
        host.ready(true)
    }

    package func timelineBegan(at clock: Int64) { origin = clock }

    package func configured(_ track: Track, data: [UInt8]) {
        guard track == .screen, let record = try? AVCDecoderConfigurationRecord(reading: data) else { return }
        self.record = record
        isReconfigured = true
    }

    package func process(_ sample: BroadcastSample) throws {
        guard let audience, let start, let record else { return }
        if isReconfigured {
            isReconfigured = false
            let sound = start.sound
            let screen = start.tracks.first { $0.id == Track.screen.rawValue }
            let video = VideoTrackFormat(
                codec: .h264(
                    sequenceParameterSet: record.sequenceParameterSet, pictureParameterSet: record.pictureParameterSet),
                size: PixelSize(width: screen?.width ?? 0, height: screen?.height ?? 0), frameRate: screen?.fps ?? 30)
            let live = LiveStream(video, sound: sound, title: start.title, origin: origin)
            loop.execute { [origin] in audience.value.begin(live, video, record, sound: sound, origin: origin) }
        }
        let packet = sample.packet
        loop.execute { audience.value.add(packet) }
    }

    package func paused() { setPaused(true) }
    package func resumed() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        guard let audience else { return }
        loop.execute { audience.value.setPaused(isPaused) }
    }

    package func finished() throws {
        guard let audience, let server else { return }
        server.close()
        let ended = loop.makePromise(of: Void.self)
        loop.execute { audience.value.end().cascade(to: ended) }
        loop.scheduleTask(in: Self.endLimit) { ended.succeed(()) }
        try ended.futureResult.wait()
    }
}
