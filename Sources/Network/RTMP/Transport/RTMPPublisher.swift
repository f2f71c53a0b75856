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
    /// The reason why the connection ended, or nil after the whole stream was sent.
    private let ending: EventLoopFuture<RTMPError?>
    private let counters: RTMPCounters
    private let window: SendWindow

    private init(
        url: RTMPURL, settings: ConnectSettings, channel: any Channel, ending: EventLoopFuture<RTMPError?>,
        counters: RTMPCounters, window: SendWindow
    ) {
        self.url = url
        self.settings = settings
        self.channel = channel
        self.ending = ending
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
        let client = url.scheme == .rtmps ? try TLSClient(caFile: settings.caFile) : nil
        let eventLoop = settings.group.next()
        let counters = RTMPCounters()
        let window = SendWindow()
        let opening = eventLoop.makePromise(of: PublisherOpening.self)
        let ending = eventLoop.makePromise(of: RTMPError?.self)
        let isCancelled = NIOLoopBoundBox.makeBoxSendingValue(false, eventLoop: eventLoop)
        var generator = SystemRandomNumberGenerator()
        let random = (0..<Handshake.randomLength).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let machine = PublisherStateMachine(negotiation, stream: stream, random: random)
        let opener = ConnectionOpener(route: settings.route, deadlines: settings.deadlines, eventLoop: eventLoop)
        let connection = open(url, client, with: opener) {
            guard !isCancelled.value else { throw RTMPError.cancelled }
            return PublisherChannelHandler(
                machine: machine, host: url.host, deadlines: settings.deadlines, counters: counters, window: window,
                opening: opening, ending: ending)
        }
        connection.whenFailure { error in
            let error = RTMPError.connecting(to: url.address, through: settings.route.proxy, error)
            opening.fail(error)
            ending.succeed(error)
        }
        do {
            let result = try await withTaskCancellationHandler {
                try await opening.futureResult.get()
            } onCancel: {
                eventLoop.execute {
                    isCancelled.value = true
                    opening.fail(RTMPError.cancelled)
                }
                connection.whenSuccess { $0.close(promise: nil) }
            }
            switch result {
            case .live(let channel):
                return .live(
                    RTMPPublisher(
                        url: url, settings: settings, channel: channel, ending: ending.futureResult,
                        counters: counters, window: window))
            case .rejected(let rejection):
                guard !Task.isCancelled else { throw RTMPError.cancelled }
                return .rejected(rejection)
            }
        } catch {
            throw (error as? RTMPError) ?? .broken(.eventLoopEnded)
        }
    }

    /// Sends `packet` and returns when another packet can be sent. Call it from one task at a time.
    ///
    /// While the channel is writable, up to 64 KiB, or one larger packet, can be on their way to it when this returns.
    /// Throws if the connection is known to be closed, even if it broke before this call. In a cancelled task it throws
    /// `cancelled` instead of waiting, and does not send the packet; the connection stays open. It throws
    /// `unsupportedFormat` for a picture of more than 16 MiB, and does not send it.
    public func send(_ packet: EncodedPacket) async throws(RTMPError) {
        guard packet.data.count <= FLVTag.maximumPictureSize else { throw .unsupportedFormat(.pictureTooLarge) }
        while !window.enter(byteCount: packet.data.count) { try await execute(.space) }
        channel.write(PublisherCommand.packet(packet), promise: nil)
    }

    /// Sends the metadata of `stream` and, if a codec configuration changed, the sequence headers, after the packets
    /// before them.
    public func update(_ stream: StreamDescription) async throws(RTMPError) {
        try await execute(.metadata(stream))
    }

    /// Sends the waiting packets and the end of the stream, then waits until the server closes the connection.
    /// `deadline` limits the whole call.
    ///
    /// Returns true if the server received everything in time. Nothing can be sent afterwards.
    @discardableResult
    public func finish(deadline: Duration = .seconds(5)) async -> Bool {
        channel.write(PublisherCommand.finish(deadline: .now + deadline), promise: nil)
        return await withTaskCancellationHandler {
            await failure() == nil
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    /// Waits until the connection is closed and returns the reason. Returns nil after `finish`, or if this task was
    /// cancelled.
    ///
    /// It detects that a server closed the connection even if nothing is sent.
    public func waitUntilClosed() async -> RTMPError? {
        let promise = channel.eventLoop.makePromise(of: RTMPError?.self)
        ending.cascade(to: promise)
        return await withTaskCancellationHandler {
            (try? await promise.futureResult.get()) ?? nil
        } onCancel: {
            promise.succeed(nil)
        }
    }

    /// The statistics so far. This can be read from any thread at any time.
    public var statistics: RTMPStatistics { counters.statistics }

    /// Waits until the connection is closed and returns the reason, or nil after the whole stream was sent.
    private func failure() async -> RTMPError? {
        do {
            return try await ending.get()
        } catch {
            return .broken(.eventLoopEnded)
        }
    }

    /// Writes `command` and waits until it was executed. A task that is cancelled meanwhile stops waiting.
    private func execute(_ command: PublisherCommand) async throws(RTMPError) {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.write(command, promise: promise)
        do {
            try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                // This follows the command on the event loop. The result that is set first counts.
                promise.fail(RTMPError.cancelled)
            }
        } catch {
            if let error = error as? RTMPError { throw error }
            // A closed channel has no handler for commands, and NIO fails them with an error of its own.
            throw await failure() ?? .closed(during: .finishing)
        }
    }

    /// - Parameters:
    ///   - client: for TLS; nil for plain RTMP.
    ///   - makeHandler: called on the event loop when the connection is open.
    private static func open(
        _ url: RTMPURL, _ client: TLSClient?, with opener: ConnectionOpener,
        _ makeHandler: @escaping @Sendable () throws -> PublisherChannelHandler
    ) -> EventLoopFuture<any Channel> {
        opener.open(url.address).flatMapThrowing { channel in
            // Add the handlers here and not in a channel initializer: a host with several addresses has one channel for
            // each attempt.
            do {
                let pipeline = channel.pipeline.syncOperations
                let handler = try makeHandler()
                if let client { try pipeline.addHandler(client.makeHandler(host: url.host)) }
                try pipeline.addHandler(handler)
                try channel.syncOptions?.setOption(.autoRead, value: true)
                return channel
            } catch {
                // After the failure of the result, so that a handler that was added already does not report the close.
                channel.eventLoop.execute { channel.close(promise: nil) }
                throw error
            }
        }
    }
}
