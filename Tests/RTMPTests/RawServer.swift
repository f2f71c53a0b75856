import NIOCore

/// A server that performs fixed steps, independent of the received data.
struct RawServer {
    enum Step: Sendable {
        case say([UInt8])
        /// Waits until this number of bytes has arrived since the start of the connection.
        case hear(Int)
        /// Sends the bytes repeatedly, as fast as the client reads.
        case flood([UInt8])
        case close
    }

    let port: Int
    var url: String { "rtmp://127.0.0.1:\(port)/live/key" }

    /// Listens on a free port of 127.0.0.1 while `body` runs. After the last step, it sends nothing.
    nonisolated(nonsending) static func run(_ steps: [Step], _ body: (RawServer) async throws -> Void) async throws {
        try await LocalServer.run(handler: { Handler(steps) }) { port in try await body(RawServer(port: port)) }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private var steps: ArraySlice<Step>
        private var heard = 0

        init(_ steps: [Step]) {
            self.steps = steps[...]
        }

        func channelActive(context: ChannelHandlerContext) { go(context) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            heard += unwrapInboundIn(data).readableBytes
            go(context)
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) { go(context) }

        private func go(_ context: ChannelHandlerContext) {
            while context.channel.isActive, let step = steps.first {
                switch step {
                case .say(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
                case .hear(let count): guard heard >= count else { return }
                case .flood(let bytes):
                    guard context.channel.isWritable else { return }
                    context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
                    continue
                case .close: context.close(promise: nil)
                }
                steps.removeFirst()
            }
        }
    }
}
