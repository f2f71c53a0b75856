import Glibc
import NIOCore
import NIOPosix
import NetworkSupport

/// Sends requests to a running session through its control socket.
package enum ControlClient {
    /// The reason why a running session did not answer.
    package enum Failure: Error, Equatable {
        /// The request is longer than the maximum line length.
        case tooLong
        /// The session did not answer in time: it is stopped or blocked. `process` is its process ID, or nil if it is
        /// unknown.
        case silent(process: Int32?)
        /// The socket or its folder belongs to another user, who would receive the request.
        case foreign(owner: UInt32)
    }

    /// One thread serves all connections.
    private static let loops = EventLoops.make()

    /// The maximum time without an answer.
    package static let answerTimeout = Duration.seconds(4)

    /// Sends `request` to the session at `path` and waits for its answer. Returns nil if no session runs there, or if
    /// the session exits.
    ///
    /// Some requests take long, such as the end of a recording. Therefore the client waits as long as the session
    /// answers status requests in the meantime. If a status request is not answered either, it throws `silent`.
    ///
    /// - Parameter answerTimeout: the maximum time without an answer.
    package static func ask(
        _ request: ControlRequest, at path: String, answerTimeout: Duration = answerTimeout
    ) async throws(Failure) -> ControlReply? {
        let line = ControlJSON.encode(request)
        guard line.count <= LineDecoder.maximumLength else { throw .tooLong }
        let loop = loops.next()
        let reply = loop.makePromise(of: ControlReply?.self)
        let channel: any Channel
        do throws(Failure) {
            guard let connected = try await connect(to: path, on: loop, { ReplyHandler(reply: reply) }) else {
                reply.succeed(nil)
                return nil
            }
            channel = connected
        } catch {
            reply.succeed(nil)
            throw error
        }
        defer { channel.close(promise: nil) }
        channel.writeAndFlush(ByteBuffer(bytes: line + [0x0a]), promise: nil)
        while true {
            if case .some(let answer) = await value(of: reply.futureResult, within: answerTimeout) { return answer }
            guard request != .status else { throw .silent(process: await process(behind: channel)) }
            _ = try await ask(.status, at: path, answerTimeout: answerTimeout)
        }
    }

    /// Returns the lines that the session at `path` sends in answer to `request`, until it closes the connection.
    /// Returns nil if no session runs there.
    ///
    /// While the caller does not take lines, nothing is read from the connection, and the session drops what does not
    /// fit.
    package static func lines(
        _ request: ControlRequest, at path: String, answerTimeout: Duration = answerTimeout
    ) async throws(Failure) -> ControlLines? {
        // A session that does not answer a status request sends no lines either.
        guard try await ask(.status, at: path, answerTimeout: answerTimeout) != nil else { return nil }
        let lines = ControlLines()
        let channel = try await connect(to: path, on: loops.next(), { LineHandler(lines: lines) })
        guard let channel else { return nil }
        lines.begin(on: channel)
        channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(request) + [0x0a]), promise: nil)
        return lines
    }

    /// Returns nil if no process listens at `path`. Throws `foreign` if it is not a process of this user.
    private static func connect(
        to path: String, on loop: any EventLoop, _ handler: @escaping @Sendable () -> some ChannelInboundHandler
    ) async throws(Failure) -> (any Channel)? {
        guard let owner = try PrivateFolder.trustedOwner(of: path) else { return nil }
        let channel: any Channel
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            ByteToMessageHandler(LineDecoder(limit: LineDecoder.maximumReplyLength)))
                        try channel.pipeline.syncOperations.addHandler(handler())
                    }
                }
                .connect(unixDomainSocketPath: path).get()
        } catch let error as IOError where error.errnoCode == EAGAIN {
            // The queue of connections that wait for accept(2) is full.
            throw .silent(process: nil)
        } catch {
            return nil
        }
        // The folder could have been replaced meanwhile, and others may be able to write to it.
        guard let peer = await credentials(behind: channel) else {
            channel.close(promise: nil)
            return nil
        }
        guard peer.uid == owner else {
            channel.close(promise: nil)
            throw .foreign(owner: peer.uid)
        }
        return channel
    }

    /// Returns the future's value, or nil if it is not available in time.
    private static func value(of future: EventLoopFuture<ControlReply?>, within time: Duration) async -> ControlReply??
    {
        let timely = future.eventLoop.makePromise(of: ControlReply??.self)
        let alarm = future.eventLoop.scheduleTask(in: TimeAmount(time)) { timely.succeed(nil) }
        future.whenComplete { result in
            alarm.cancel()
            if case .success(let reply) = result { timely.succeed(.some(reply)) } else { timely.succeed(.some(nil)) }
        }
        return (try? await timely.futureResult.get()) ?? nil
    }

    /// Returns the ID of the process at the other end, or nil if it is unknown.
    private static func process(behind channel: any Channel) async -> Int32? {
        await credentials(behind: channel)?.pid
    }

    /// Returns the process at the other end (unix(7)), or nil if it is unknown.
    private static func credentials(behind channel: any Channel) async -> PeerCredentials? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        return try? await
            (provider.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
            as EventLoopFuture<PeerCredentials>)
            .get()
    }
}

/// Waits for the answer, which is one line, or for the end of the connection.
private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let reply: EventLoopPromise<ControlReply?>
    private var isAnswered = false

    init(reply: EventLoopPromise<ControlReply?>) {
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        answer(ControlJSON.decode(ControlReply.self, from: unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer(nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer(nil)
        context.close(promise: nil)
    }

    private func answer(_ value: ControlReply?) {
        guard !isAnswered else { return }
        isAnswered = true
        reply.succeed(value)
    }
}
