import Mux
import NIOCore
import RTMP
import Synchronization

/// An RTMP server that accepts any number of connections, records their messages, and answers as configured.
final class RecordingServer: Sendable {
    /// The reaction to a command.
    enum Answer: Sendable {
        /// The normal answer.
        case ordinary
        /// These bytes instead of the normal answer.
        case bytes([UInt8])
        case close
    }

    /// The received messages of one connection, and its state.
    struct Connection: Sendable {
        var commands: [[AMF0Value]] = []
        /// Audio, video and data messages.
        var media: [RTMPMessage] = []
        var isPublishing = false
        var isClosed = false
    }

    typealias Behaviour =
        @Sendable (_ command: [AMF0Value], _ connection: Int, _ server: RecordingServer, _ script: inout ServerScript)
        -> Answer

    private let state = Mutex<[Connection]>([])
    private let channels = Mutex<[any Channel]>([])
    private let port = Mutex(0)
    private let behaviour: Behaviour

    private init(_ behaviour: @escaping Behaviour) {
        self.behaviour = behaviour
    }

    /// `rtmp://127.0.0.1:PORT/live`
    var tcURL: String { "rtmp://127.0.0.1:\(port.withLock { $0 })/live" }
    var url: String { tcURL + "/key" }
    /// The connections in the order in which they were opened.
    var connections: [Connection] { state.withLock { $0 } }

    /// Sends a message on a connection without a request.
    func say(on connection: Int, _ make: (inout ServerScript) -> [UInt8]) {
        // A message with a full header can follow any other, so this does not affect the script of the answers.
        var script = ServerScript()
        channels.withLock { $0[connection] }.writeAndFlush(ByteBuffer(bytes: make(&script)), promise: nil)
    }

    /// Listens on a free port of 127.0.0.1 while `body` runs.
    nonisolated(nonsending) static func run(
        _ behaviour: @escaping Behaviour = { _, _, _, _ in .ordinary }, _ body: (RecordingServer) async throws -> Void
    ) async throws {
        let server = RecordingServer(behaviour)
        try await LocalServer.run(handler: { Handler(server) }) { port in
            server.port.withLock { $0 = port }
            try await body(server)
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let server: RecordingServer
        private var number = 0
        private var script = ServerScript()
        private var input = ClientInput()

        init(_ server: RecordingServer) {
            self.server = server
        }

        func channelActive(context: ChannelHandlerContext) {
            server.channels.withLock { $0.append(context.channel) }
            number = server.state.withLock { connections in
                connections.append(Connection())
                return connections.count - 1
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            note { connection in
                connection.isClosed = true
                connection.isPublishing = false
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            do {
                try input.receive(unwrapInboundIn(data)) {
                    write(ServerScript.handshake, context)
                } handle: { message in
                    self.handle(message, context)
                }
            } catch {
                context.close(promise: nil)
            }
        }

        private func handle(_ message: RTMPMessage, _ context: ChannelHandlerContext) {
            if [8, 9, 18].contains(message.kind) { return note { $0.media.append(message) } }
            guard message.kind == RTMPMessage.Kind.commandAMF0.rawValue,
                let command = try? AMF0Decoder.decode(message.bytes),
                let name = command.first?.stringValue
            else { return }
            note { $0.commands.append(command) }
            switch server.behaviour(command, number, server, &script) {
            case .bytes(let bytes): write(bytes, context)
            case .close: context.close(promise: nil)
            case .ordinary: answer(name, context)
            }
        }

        private func answer(_ name: String, _ context: ChannelHandlerContext) {
            switch name {
            case "connect": write(script.connectResult(), context)
            case "createStream": write(script.createStreamResult(), context)
            case "publish":
                note { $0.isPublishing = true }
                write(script.publishStart(), context)
            case "deleteStream":
                note { $0.isPublishing = false }
                context.close(promise: nil)
            default: break
            }
        }

        private func note(_ change: (inout Connection) -> Void) {
            server.state.withLock { change(&$0[number]) }
        }

        private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
            guard !bytes.isEmpty else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        }
    }
}
