import BroadcastExtension
import Glibc
import Media
import NIOCore
import NIOPosix
import NetworkSupport

/// Serves a page with the broadcast to browsers in the same network.
final class LANHandler: BroadcastSampleHandler {
    /// How long the end waits for the last messages to viewers.
    private static let endLimit = TimeAmount.seconds(1)

    private static let consent = "anyone in this network with the address can watch; the connection is not encrypted"
    private static let ownConsent = "only this computer can watch"

    private let group = EventLoops.make()
    private var audience: NIOLoopBound<Audience>?
    private var server: LANServer?
    private var stream: ReceivedStream?
    private var isReconfigured = false
    private var origin: Int64?

    private var loop: any EventLoop { group.next() }

    func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        let settings = try LANSettings(setup: broadcast.setup)
        stream = ReceivedStream(broadcast)
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
        host.status(server.isOnlyLocal ? Self.ownConsent : Self.consent)
        host.watchURL(server.url)
        host.viewers(0)
        host.ready(true)
    }

    func timelineBegan(at clock: Int64) { origin = clock }

    func configured(_ track: Track, data: [UInt8]) {
        stream?.configure(track, data: data)
        isReconfigured = true
    }

    func process(_ sample: BroadcastSample) throws {
        guard let audience else { return }
        if isReconfigured, let description = stream?.description {
            isReconfigured = false
            guard description.video != nil else {
                throw BroadcastFailure(code: 415, message: "There is no picture to show. Omit lan, or add a picture.")
            }
            let live = LiveStream(description, origin: origin)
            loop.execute { audience.value.begin(live) }
        }
        let packet = sample.packet
        loop.execute { audience.value.add(packet) }
    }

    func paused() { setPaused(true) }
    func resumed() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        guard let audience else { return }
        loop.execute { audience.value.setPaused(isPaused) }
    }

    func finished() throws {
        guard let audience, let server else { return }
        server.close()
        let ended = loop.makePromise(of: Void.self)
        loop.execute { audience.value.end().cascade(to: ended) }
        loop.scheduleTask(in: Self.endLimit) { ended.succeed(()) }
        try ended.futureResult.wait()
    }
}
