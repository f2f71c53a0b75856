import NIOCore
import NIOPosix

/// Asks a running session something through its control socket.
package enum ControlClient {
    /// Sends `request` to the session at `path` and waits for its answer; nil where none runs there, or it went away.
    package static func ask(_ request: ControlRequest, at path: String) async -> ControlReply? {
        let group = MultiThreadedEventLoopGroup.singleton
        do {
            let reply = group.next().makePromise(of: ControlReply?.self)
            let channel: any Channel
            do {
                channel = try await ClientBootstrap(group: group)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(LineDecoder()))
                            try channel.pipeline.syncOperations.addHandler(ReplyHandler(reply: reply))
                        }
                    }
                    .connect(unixDomainSocketPath: path).get()
            } catch {
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
