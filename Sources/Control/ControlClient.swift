import NIOCore
import NIOPosix

/// Asks a running session something through its control socket.
package enum ControlClient {
    /// Sends `request` to the session at `path` and waits for its answer; nil where none runs there, or it went away.
    package static func ask(_ request: ControlRequest, at path: String) async -> ControlReply? {
        do {
            let reply = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: ControlReply?.self)
            guard let channel = try? await connect(to: path, { ReplyHandler(reply: reply) }) else {
                reply.succeed(nil)
                return nil
            }
            try? await channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(request) + [0x0a]))
            let answer = try await reply.futureResult.get()
            try? await channel.close()
            return answer
        } catch {
            return nil
        }
    }

    /// The lines that the session at `path` answers `request` with, until it ends; nil where none runs there.
    package static func lines(_ request: ControlRequest, at path: String) async -> AsyncStream<[UInt8]>? {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        guard let channel = try? await connect(to: path, { LineHandler(lines: continuation) }) else { return nil }
        try? await channel.writeAndFlush(ByteBuffer(bytes: ControlJSON.encode(request) + [0x0a]))
        return stream
    }

    private static func connect(to path: String, _ handler: @escaping @Sendable () -> some ChannelInboundHandler) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(unixDomainSocketPath: path).get()
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
