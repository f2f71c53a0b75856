import Mux
import NIOCore
import RTMP

/// An RTMP server that stops at a given step: from then on, it neither reads nor writes.
struct ScriptedServer {
    enum Silence: Sendable {
        case afterConnecting, afterHandshake, afterConnectReply, afterCreateStreamReply, afterPublishReply, never
    }

    let url: String

    /// Listens on a free port of 127.0.0.1 while `body` runs.
    nonisolated(nonsending) static func run(_ silence: Silence, _ body: (ScriptedServer) async throws -> Void)
        async throws
    {
        try await LocalServer.run(receiveBuffer: 16_384, handler: { Handler(silence) }) { port in
            try await body(ScriptedServer(url: "rtmp://127.0.0.1:\(port)/live/key"))
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let silence: Silence
        private var script = ServerScript()
        private var input = ClientInput()

        init(_ silence: Silence) {
            self.silence = silence
        }

        func channelActive(context: ChannelHandlerContext) {
            if case .afterConnecting = silence { fallSilent(context) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            do {
                try input.receive(unwrapInboundIn(data)) {
                    write(ServerScript.handshake, context)
                } handle: { message in
                    answer(message, context)
                }
            } catch {
                context.close(promise: nil)
            }
        }

        private func answer(_ message: RTMPMessage, _ context: ChannelHandlerContext) {
            guard message.kind == RTMPMessage.Kind.commandAMF0.rawValue,
                let name = try? AMF0Decoder.decode(message.bytes).first?.stringValue
            else { return }
            switch (name, silence) {
            case ("connect", .afterHandshake), ("createStream", .afterConnectReply),
                ("publish", .afterCreateStreamReply):
                fallSilent(context)
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
