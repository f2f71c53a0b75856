import Glibc
import NIOCore
import NIOPosix

/// Asks a running session something through its control socket.
package enum ControlClient {
    /// Why there is no answer from a session that is there.
    package enum Failure: Error, Equatable {
        /// The request is longer than a session reads.
        case tooLong
        /// It has said nothing for so long that it must be stopped or stuck; its process, where the system tells.
        case silent(process: Int32?)
    }

    /// How long a session may say nothing.
    package static let patience = Duration.seconds(4)

    /// Sends `request` to the session at `path` and waits for its answer; nil where none runs there, or it went away.
    ///
    /// What takes its time, as the end of a recording does, is waited for as long as the session shows life: it is asked for its status
    /// meanwhile. One that does not answer that either is given up.
    ///
    /// - Parameter patience: how long the session may say nothing.
    package static func ask(
        _ request: ControlRequest, at path: String, patience: Duration = patience
    ) async throws(Failure) -> ControlReply? {
        let line = ControlJSON.encode(request)
        guard line.count <= LineDecoder.maximumLength else { throw .tooLong }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
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
            if case .some(let answer) = await value(of: reply.futureResult, within: patience) { return answer }
            guard request.command != "status" else { throw .silent(process: await process(behind: channel)) }
            _ = try await ask(ControlRequest(command: "status"), at: path, patience: patience)
        }
    }

    /// The lines that the session at `path` answers `request` with, until it ends; nil where none runs there.
    package static func lines(
        _ request: ControlRequest, at path: String, patience: Duration = patience
    ) async throws(Failure) -> AsyncStream<[UInt8]>? {
        // A session that says nothing of its status will send no lines either.
        guard try await ask(ControlRequest(command: "status"), at: path, patience: patience) != nil else { return nil }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let channel = try await connect(to: path, on: MultiThreadedEventLoopGroup.singleton.next(), { LineHandler(lines: continuation) })
        guard let channel else { return nil }
        channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(request) + [0x0a]), promise: nil)
        return stream
    }

    /// nil where nobody listens.
    private static func connect(
        to path: String, on loop: any EventLoop, _ handler: @escaping @Sendable () -> some ChannelInboundHandler
    ) async throws(Failure) -> (any Channel)? {
        do {
            return try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                        try channel.pipeline.syncOperations.addHandler(handler())
                    }
                }
                .connect(unixDomainSocketPath: path).get()
        } catch let error as IOError where error.errnoCode == EAGAIN {
            // Its queue of those who wait to be let in is full.
            throw .silent(process: nil)
        } catch {
            return nil
        }
    }

    /// The future's value; nil where it has none in time.
    private static func value(of future: EventLoopFuture<ControlReply?>, within time: Duration) async -> ControlReply?? {
        let timely = future.eventLoop.makePromise(of: ControlReply??.self)
        let components = time.components
        let amount = TimeAmount.nanoseconds(components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000)
        let alarm = future.eventLoop.scheduleTask(in: amount) { timely.succeed(nil) }
        future.whenComplete { result in
            alarm.cancel()
            if case .success(let reply) = result { timely.succeed(.some(reply)) } else { timely.succeed(.some(nil)) }
        }
        return (try? await timely.futureResult.get()) ?? nil
    }

    /// Who listens at the other end, as unix(7) tells.
    private static func process(behind channel: any Channel) async -> Int32? {
        guard let provider = channel as? any SocketOptionProvider else { return nil }
        let peer = try? await (provider.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED)) as EventLoopFuture<PeerCredentials>)
            .get()
        return peer?.pid
    }
}

/// Hands on each line as it comes.
private final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let lines: AsyncStream<[UInt8]>.Continuation

    init(lines: AsyncStream<[UInt8]>.Continuation) {
        self.lines = lines
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lines.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) {
        lines.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

/// Waits for the one line that answers, or for the connection's end.
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
