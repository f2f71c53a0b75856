import Media
import NIOCore
import NIOPosix
import Synchronization

/// A live stream on an RTMP server, on SwiftNIO.
///
/// `connect` gives one that the server has accepted; then one task sends its packets, and `finish` ends it. Whoever
/// drops it without that closes the connection. The backlog stays with the caller: `send` returns when there is room.
public final class RTMPPublisher: Sendable {
    /// Bytes that the kernel holds unsent before it takes no more: enough to keep a line busy between two wake-ups.
    private static let notSentLowWatermark: ChannelOptions.Types.SocketOption.Value = 32 * 1024
    /// Bytes that the channel holds beyond the kernel's: above the high mark `send` waits, until below the low one.
    private static let watermark = ChannelOptions.Types.WriteBufferWaterMark(low: 8 * 1024, high: 32 * 1024)
    /// Socket options of Linux that NIO has no name for (tcp(7)).
    private static let userTimeoutOption = NIOBSDSocket.Option(rawValue: 18)
    private static let notSentLowWatermarkOption = NIOBSDSocket.Option(rawValue: 25)

    /// One thread serves every publisher.
    private static let sharedGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// The server that took the stream: where it sent us on, another one than was asked.
    public let url: RTMPURL
    private let settings: ConnectSettings
    private let channel: any Channel
    private let handler: NIOLoopBound<PublisherChannelHandler>
    private let counters: RTMPCounters

    private init(
        url: RTMPURL, settings: ConnectSettings, channel: any Channel, handler: NIOLoopBound<PublisherChannelHandler>, counters: RTMPCounters
    ) {
        self.url = url
        self.settings = settings
        self.channel = channel
        self.handler = handler
        self.counters = counters
    }

    deinit {
        channel.close(promise: nil)
    }

    /// Connects, and returns once the server takes the stream: metadata and sequence headers are on their way then.
    ///
    /// A server that sends us on is followed, three times at most and never out of TLS; one that asks for a user's name
    /// and password gets them, where there are some. The first picture to send is a keyframe; what is sent before it is left out, as is
    /// the AAC encoder's priming.
    /// - Parameters:
    ///   - stream: its first audio track is sent. Video must be H.264.
    ///   - credentials: instead of those in the URL.
    ///   - caFile: the PEM certificates to trust for `rtmps`, instead of those of the system.
    ///   - group: where the connection lives; a thread that all publishers share, by default.
    public static func connect(
        to url: RTMPURL, stream: StreamDescription, credentials: RTMPCredentials? = nil, caFile: String? = nil,
        deadlines: RTMPDeadlines = RTMPDeadlines(), group: (any EventLoopGroup)? = nil
    ) async throws(RTMPError) -> RTMPPublisher {
        try await connect(
            to: url, stream: stream,
            settings: ConnectSettings(
                credentials: credentials, caFile: caFile, deadlines: deadlines, group: group ?? sharedGroup))
    }

    /// The connection that the server has asked for in `reconnectRequest`, beside this one, which stays as it is.
    ///
    /// When it stands, the next keyframe and what follows goes to the new one, and this one is to be finished.
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

    /// What the server wants: that the stream goes on over another connection; nil as long as it does not.
    public var reconnectRequest: RTMPReconnectRequest? { counters.reconnectRequest }

    private static func connect(
        to url: RTMPURL, stream: StreamDescription, settings: ConnectSettings
    ) async throws(RTMPError) -> RTMPPublisher {
        switch stream.video?.codec {
        case .i420, .i444: throw .unsupportedFormat("its video is not H.264")
        case .h264, nil: break
        }
        guard stream.video != nil || !stream.audio.isEmpty else { throw .unsupportedFormat("it has no tracks") }
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
        var generator = SystemRandomNumberGenerator()
        let random = (0..<Handshake.randomLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let machine = PublisherStateMachine(negotiation, stream: stream, random: random)
        let made = try? await eventLoop.submit {
            NIOLoopBound(PublisherChannelHandler(machine: machine, url: url, deadlines: deadlines, counters: counters), eventLoop: eventLoop)
        }.get()
        guard let handler = made else { throw .broken(reason: "the event loop has ended") }

        let connection = open(url, client, deadlines: deadlines, on: eventLoop, handler: handler)
        do throws(RTMPError) {
            try await wait(on: eventLoop, handler, onCancel: { $0.abort(.cancelled) }) { handler, waiter in handler.waitUntilLive(waiter) }
        } catch {
            let rejection = (try? await eventLoop.submit { handler.value.rejection }.get()) ?? nil
            guard let rejection, !Task.isCancelled else { throw error }
            return .rejected(rejection)
        }
        // It is live, so the connection stands.
        guard let channel = try? await connection.get() else { throw .closed(during: .connecting) }
        return .live(RTMPPublisher(url: url, settings: settings, channel: channel, handler: handler, counters: counters))
    }

    /// Sends `packet`, and returns when there is room for the next one. Meant for one task at a time.
    ///
    /// It throws when the connection is no more, also where it broke before. In a cancelled task it throws
    /// `cancelled` instead of waiting; the connection stays.
    public func send(_ packet: EncodedPacket) async throws(RTMPError) {
        try await wait { handler, waiter in handler.send(packet, waiter) }
    }

    /// Sends the metadata of `stream`, and its sequence headers where a codec's configuration has changed.
    public func update(_ stream: StreamDescription) async throws(RTMPError) {
        try await wait { handler, waiter in handler.update(stream, waiter) }
    }

    /// Sends what is left, says that the stream is over and waits until the server closes; `deadline` bounds all of it.
    ///
    /// Returns whether the server got everything in time. Nothing can be sent afterwards.
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

    /// Waits until the connection is no more, and gives the reason: nil after `finish`, or where this task was cancelled.
    ///
    /// A server that goes away is noticed here without anything being sent.
    public func waitUntilClosed() async -> RTMPError? {
        do throws(RTMPError) {
            try await wait { handler, waiter in handler.waitUntilClosed(waiter) }
        } catch {
            return nil
        }
        return await failure()
    }

    /// What was sent so far; may be asked from anywhere, at any time.
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

    /// Runs `body` on the event loop and waits for the answer; in a cancelled task it does `onCancel` and waits no longer.
    private static func wait(
        on eventLoop: any EventLoop, _ handler: NIOLoopBound<PublisherChannelHandler>,
        onCancel: @escaping @Sendable (PublisherChannelHandler) -> Void = { _ in },
        _ body: @escaping @Sendable (PublisherChannelHandler, PublisherWaiter) -> Void
    ) async throws(RTMPError) {
        let id = lastWaiter.add(1, ordering: .relaxed).newValue
        let waiter = PublisherWaiter(id: id, promise: eventLoop.makePromise())
        // Before the cancellation handler: the loop runs both in this order.
        eventLoop.execute { body(handler.value, waiter) }
        let answer = await withTaskCancellationHandler {
            (try? await waiter.promise.futureResult.get()) ?? .failure(.broken(reason: "the event loop has ended"))
        } onCancel: {
            eventLoop.execute {
                handler.value.cancel(id)
                onCancel(handler.value)
            }
        }
        try answer.get()
    }

    private static func open(
        _ url: RTMPURL, _ client: TLSClient?, deadlines: RTMPDeadlines, on eventLoop: any EventLoop, handler: NIOLoopBound<PublisherChannelHandler>
    ) -> EventLoopFuture<any Channel> {
        let userTimeout = ChannelOptions.Types.SocketOption.Value(TimeAmount(deadlines.sendProgress).nanoseconds / 1_000_000)
        let connection = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(deadlines.connect))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.tcpOption(userTimeoutOption), value: userTimeout)
            .channelOption(.tcpOption(notSentLowWatermarkOption), value: notSentLowWatermark)
            .channelOption(.writeBufferWaterMark, value: watermark)
            // What a server says at once must find the handlers in their place.
            .channelOption(.autoRead, value: false)
            .connect(host: url.host, port: url.port)
            .flatMapThrowing { channel in
                // Here and not in an initializer: a host with several addresses has a channel for each attempt.
                let pipeline = channel.pipeline.syncOperations
                if let client { try pipeline.addHandler(client.makeHandler(host: url.host)) }
                try pipeline.addHandler(handler.value)
                try channel.syncOptions?.setOption(.autoRead, value: true)
                return channel
            }
        connection.whenFailure { handler.value.abort(.connecting(to: url, $0)) }
        return connection
    }
}
