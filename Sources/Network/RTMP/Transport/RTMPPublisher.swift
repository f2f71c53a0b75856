import Media
import Mux
import NIOCore
import NetworkSupport
import Synchronization

/// Publishes a live stream to an RTMP server with SwiftNIO.
///
/// `connect` returns a publisher that the server has accepted. One task then sends the packets, and `finish` ends the
/// stream. If the publisher is released without `finish`, it closes the connection. The caller keeps the backlog of
/// packets: `send` returns when the channel can accept another packet.
public final class RTMPPublisher: Sendable {
    /// One thread serves all publishers.
    private static let sharedGroup = EventLoops.make()

    /// The URL of the server that accepted the stream. After a redirect, it differs from the requested URL.
    public let url: RTMPURL
    private let settings: ConnectSettings
    private let channel: any Channel
    private let handler: NIOLoopBound<PublisherChannelHandler>
    private let counters: RTMPCounters
    private let window: SendWindow

    private init(
        url: RTMPURL, settings: ConnectSettings, channel: any Channel, handler: NIOLoopBound<PublisherChannelHandler>,
        counters: RTMPCounters,
        window: SendWindow
    ) {
        self.url = url
        self.settings = settings
        self.channel = channel
        self.handler = handler
        self.counters = counters
        self.window = window
    }

    deinit {
        channel.close(promise: nil)
    }

    /// Connects to a server and returns when the server accepted the stream. Metadata and sequence headers are already
    /// queued then.
    ///
    /// It follows at most three redirects and never leaves TLS. If the server requests authentication, it sends the
    /// credentials, if there are any. The first video packet sent is a keyframe; packets before it are dropped, and so
    /// is the priming of the AAC encoder.
    /// - Parameters:
    ///   - stream: the first audio track is sent. Video must be H.264.
    ///   - credentials: override the credentials in the URL.
    ///   - caFile: trusted PEM certificates for `rtmps`, instead of the system's.
    ///   - route: the version of IP, the proxy and the local end of the connection.
    ///   - deadlines: the maximum waiting times of the connection.
    ///   - group: the event loops of the connection. By default, all publishers share one thread.
    public static func connect(
        to url: RTMPURL, stream: StreamDescription, credentials: RTMPCredentials? = nil, caFile: String? = nil,
        route: RTMPRoute = RTMPRoute(),
        deadlines: RTMPDeadlines = RTMPDeadlines(), group: (any EventLoopGroup)? = nil
    ) async throws(RTMPError) -> RTMPPublisher {
        try await connect(
            to: url, stream: stream,
            settings: ConnectSettings(
                credentials: credentials, caFile: caFile, route: route, deadlines: deadlines,
                group: group ?? sharedGroup))
    }

    /// Opens the connection that the server requested in `reconnectRequest`. This connection stays open.
    ///
    /// When the new connection is live, send the next keyframe and all later packets to it, and finish this one.
    public func successor(stream: StreamDescription) async throws(RTMPError) -> RTMPPublisher {
        var next = url
        if let target = reconnectRequest?.tcURL {
            do throws(RTMPURLError) {
                next = try url.resolving(target)
            } catch {
                throw .badRedirect(.invalidAddress)
            }
            guard url.scheme == .rtmp || next.scheme == .rtmps else { throw .badRedirect(.insecure) }
        }
        return try await Self.connect(to: next, stream: stream, settings: settings)
    }

    /// The server's latest request to continue the stream on another connection, or nil if the server has sent none.
    public var reconnectRequest: RTMPReconnectRequest? { counters.reconnectRequest }

    private static func connect(
        to url: RTMPURL, stream: StreamDescription, settings: ConnectSettings
    ) async throws(RTMPError) -> RTMPPublisher {
        switch stream.video?.codec {
        case .i420, .i444: throw .unsupportedFormat(.videoIsNotH264)
        case .h264, nil: break
        }
        guard stream.video != nil || !stream.audio.isEmpty else { throw .unsupportedFormat(.noTracks) }
        var negotiation = ConnectNegotiation(url, credentials: settings.credentials)
        while true {
            switch try await attempt(negotiation, stream: stream, settings: settings) {
            case .live(let publisher): return publisher
            case .rejected(let rejection):
                let challenge = String(UInt32.random(in: .min ... .max) | 0x1000_0000, radix: 16)
                try negotiation.follow(rejection, clientChallenge: challenge)
            }
        }
    }

    private enum Attempt {
        case live(RTMPPublisher)
        case rejected(ConnectRejection)
    }

    private static func attempt(
        _ negotiation: ConnectNegotiation, stream: StreamDescription, settings: ConnectSettings
    ) async throws(RTMPError) -> Attempt {
        let url = negotiation.url
        let deadlines = settings.deadlines
        let client = url.scheme == .rtmps ? try TLSClient(caFile: settings.caFile) : nil
        let eventLoop = settings.group.next()
        let counters = RTMPCounters()
        let window = SendWindow()
        var generator = SystemRandomNumberGenerator()
        let random = (0..<Handshake.randomLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let machine = PublisherStateMachine(negotiation, stream: stream, random: random)
        let made = try? await eventLoop.submit {
            NIOLoopBound(
                PublisherChannelHandler(
                    machine: machine, url: url, deadlines: deadlines, counters: counters, window: window),
                eventLoop: eventLoop)
        }.get()
        guard let handler = made else { throw .broken(.eventLoopEnded) }

        let opener = ConnectionOpener(route: settings.route, deadlines: deadlines, eventLoop: eventLoop)
        let connection = open(url, client, with: opener, handler: handler)
        do throws(RTMPError) {
            try await wait(on: eventLoop, handler, onCancel: { $0.abort(.cancelled) }) { handler, waiter in
                handler.waitUntilLive(waiter)
            }
        } catch {
            let rejection = (try? await eventLoop.submit { handler.value.rejection }.get()) ?? nil
            guard let rejection, !Task.isCancelled else { throw error }
            return .rejected(rejection)
        }
        // The stream is live, so the connection is open.
        guard let channel = try? await connection.get() else { throw .closed(during: .connecting) }
        return .live(
            RTMPPublisher(
                url: url, settings: settings, channel: channel, handler: handler, counters: counters, window: window))
    }

    /// Sends `packet` and returns when another packet can be sent. Call it from one task at a time.
    ///
    /// While the channel is writable, up to 64 KiB, or one larger packet, can be on their way to it when this returns.
    /// Throws if the connection is known to be closed, even if it broke before this call. In a cancelled task it throws
    /// `cancelled` and does not wait; the connection stays open. It throws `unsupportedFormat` for a picture of more
    /// than 16 MiB, and does not send it.
    public func send(_ packet: EncodedPacket) async throws(RTMPError) {
        guard packet.data.count <= FLVTag.maximumPictureSize else { throw .unsupportedFormat(.pictureTooLarge) }
        if !Task.isCancelled, window.enter(byteCount: packet.data.count) {
            return channel.eventLoop.execute { [handler] in handler.value.post(packet) }
        }
        try await wait { handler, waiter in handler.send(packet, waiter) }
    }

    /// Sends the metadata of `stream` and, if a codec configuration changed, the sequence headers.
    public func update(_ stream: StreamDescription) async throws(RTMPError) {
        try await wait { handler, waiter in handler.update(stream, waiter) }
    }

    /// Sends the waiting packets and the end of the stream, then waits until the server closes the connection.
    /// `deadline` limits the whole call.
    ///
    /// Returns true if the server received everything in time. Nothing can be sent afterwards.
    @discardableResult
    public func finish(deadline: Duration = .seconds(5)) async -> Bool {
        do throws(RTMPError) {
            try await Self.wait(on: channel.eventLoop, handler, onCancel: { $0.abort(.cancelled) }) { handler, waiter in
                handler.finish(deadline: deadline, waiter)
            }
        } catch {
            return false
        }
        return await failure() == nil
    }

    /// Waits until the connection is closed and returns the reason. Returns nil after `finish`, or if this task was
    /// cancelled.
    ///
    /// It detects that a server closed the connection even if nothing is sent.
    public func waitUntilClosed() async -> RTMPError? {
        do throws(RTMPError) {
            try await wait { handler, waiter in handler.waitUntilClosed(waiter) }
        } catch {
            return nil
        }
        return await failure()
    }

    /// The statistics so far. This can be read from any thread at any time.
    public var statistics: RTMPStatistics { counters.statistics }

    private func failure() async -> RTMPError? {
        let handler = handler
        return (try? await channel.eventLoop.submit { handler.value.failure }.get()) ?? nil
    }

    private func wait(
        _ body: @escaping @Sendable (PublisherChannelHandler, PublisherWaiter) -> Void
    ) async throws(RTMPError) {
        try await Self.wait(on: channel.eventLoop, handler, body)
    }

    private static let lastWaiter = Atomic<UInt64>(0)

    /// Runs `body` on the event loop and waits for the result. If the task is cancelled, runs `onCancel` and stops
    /// waiting.
    private static func wait(
        on eventLoop: any EventLoop, _ handler: NIOLoopBound<PublisherChannelHandler>,
        onCancel: @escaping @Sendable (PublisherChannelHandler) -> Void = { _ in },
        _ body: @escaping @Sendable (PublisherChannelHandler, PublisherWaiter) -> Void
    ) async throws(RTMPError) {
        let id = lastWaiter.add(1, ordering: .relaxed).newValue
        let waiter = PublisherWaiter(id: id, promise: eventLoop.makePromise())
        // Enqueue this before the cancellation handler is installed, because the event loop runs both in this order.
        eventLoop.execute { body(handler.value, waiter) }
        let answer = await withTaskCancellationHandler {
            (try? await waiter.promise.futureResult.get()) ?? .failure(.broken(.eventLoopEnded))
        } onCancel: {
            eventLoop.execute {
                handler.value.cancel(id)
                onCancel(handler.value)
            }
        }
        try answer.get()
    }

    /// - Parameter client: for TLS; nil for plain RTMP.
    private static func open(
        _ url: RTMPURL, _ client: TLSClient?, with opener: ConnectionOpener,
        handler: NIOLoopBound<PublisherChannelHandler>
    ) -> EventLoopFuture<any Channel> {
        let connection = opener.open(url).flatMapThrowing { channel in
            // Add the handlers here and not in a channel initializer: a host with several addresses has one channel for
            // each attempt.
            let pipeline = channel.pipeline.syncOperations
            if let client { try pipeline.addHandler(client.makeHandler(host: url.host)) }
            try pipeline.addHandler(handler.value)
            try channel.syncOptions?.setOption(.autoRead, value: true)
            return channel
        }
        connection.whenFailure { handler.value.abort(.connecting(to: url, through: opener.route.proxy, $0)) }
        return connection
    }
}
