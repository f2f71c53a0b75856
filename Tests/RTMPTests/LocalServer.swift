import NIOCore
import NIOPosix
import NetworkSupport
import RTMP

/// The parts that the servers of these tests share.
enum LocalServer {
    /// Listens on a free port of 127.0.0.1 while `body` runs.
    ///
    /// - Parameters:
    ///   - receiveBuffer: the size of each connection's receive buffer in bytes; nil for the system's.
    ///   - handler: makes the handler of a connection, on its event loop.
    ///   - body: receives the port.
    nonisolated(nonsending) static func run<Handler: ChannelHandler>(
        receiveBuffer: Int? = nil, handler: @escaping @Sendable () -> Handler, _ body: (Int) async throws -> Void
    ) async throws {
        let group = EventLoops.make()
        var bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler()) }
        }
        if let receiveBuffer {
            bootstrap = bootstrap.childChannelOption(
                .socketOption(.so_rcvbuf), value: ChannelOptions.Types.SocketOption.Value(receiveBuffer))
        }
        let listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        do {
            try await body(listener.localAddress?.port ?? 0)
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }
}

/// What a client of a test server sends: C0, C1 and C2 (Adobe RTMP 1.0, 5.2), and then messages.
struct ClientInput {
    /// The size of C0 and C1.
    private static let challenge = 1537
    /// The size of C0, C1 and C2.
    private static let handshake = 3073

    private var reader = ChunkStreamReader()
    private var handshakeBytes = 0

    /// Processes received bytes.
    ///
    /// - Parameters:
    ///   - answer: called once when C0 and C1 are complete, to send the server's handshake.
    ///   - handle: called for each complete message.
    /// - Throws: the error of the first invalid chunk.
    mutating func receive(_ data: ByteBuffer, answer: () -> Void, handle: (RTMPMessage) -> Void) throws {
        var bytes = data
        if handshakeBytes < Self.handshake {
            let before = handshakeBytes
            let count = min(bytes.readableBytes, Self.handshake - handshakeBytes)
            handshakeBytes += count
            bytes.moveReaderIndex(forwardBy: count)
            if before < Self.challenge, handshakeBytes >= Self.challenge { answer() }
        }
        reader.append(bytes)
        while let message = try reader.next() { handle(message) }
    }
}
