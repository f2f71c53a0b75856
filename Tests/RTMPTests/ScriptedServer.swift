import Mux
import NIOCore
import NIOPosix
import RTMP

/// An RTMP server that stops at a given step: from then on, it neither reads nor writes.
struct ScriptedServer {
    enum Silence: Sendable {
        case afterConnecting, afterHandshake, afterConnectReply, afterCreateStreamReply, afterPublishReply, never
    }

    let url: String

    /// Listens on a free port of 127.0.0.1 while `body` runs.
    nonisolated(nonsending) static func run(_ silence: Silence, _ body: (ScriptedServer) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await ServerBootstrap(group: group)
            .childChannelOption(.socketOption(.so_rcvbuf), value: 16_384)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(silence)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        do {
            try await body(ScriptedServer(url: "rtmp://127.0.0.1:\(port)/live/key"))
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let silence: Silence
        private var script = ServerScript()
        private var reader = ChunkStreamReader()
        private var handshakeBytes = 0

        init(_ silence: Silence) {
            self.silence = silence
        }

        func channelActive(context: ChannelHandlerContext) {
            if case .afterConnecting = silence { fallSilent(context) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = Array(unwrapInboundIn(data).readableBytesView)[...]
            if handshakeBytes < 3073 {
                let before = handshakeBytes
                let count = min(bytes.count, 3073 - handshakeBytes)
                handshakeBytes += count
                bytes = bytes.dropFirst(count)
                if before < 1537, handshakeBytes >= 1537 { write(ServerScript.handshake, context) }
            }
            reader.append(bytes)
            do {
                while let message = try reader.next() { answer(message, context) }
            } catch {
                context.close(promise: nil)
            }
        }

        private func answer(_ message: RTMPMessage, _ context: ChannelHandlerContext) {
            guard message.kind == RTMPMessage.Kind.commandAMF0, let name = try? AMF0Decoder.decode(message.payload).first?.stringValue else { return }
            switch (name, silence) {
            case ("connect", .afterHandshake), ("createStream", .afterConnectReply), ("publish", .afterCreateStreamReply): fallSilent(context)
            case ("connect", _): write(script.connectResult(), context)
            case ("createStream", _): write(script.createStreamResult(), context)
            case ("publish", _):
                write(script.publishStart(), context)
                if case .afterPublishReply = silence { fallSilent(context) }
            default: break
            }
        }

        private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }

        private func fallSilent(_ context: ChannelHandlerContext) {
            context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        }
    }
}
