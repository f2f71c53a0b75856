import COpenSSL
import NIOCore
import NIOEmbedded
import NIOTLS
import TLS
import TestSupport

/// The server's side of a TLS connection, and the channel of a client that is connected to it, both without sockets.
final class ServerSide {
    /// What the client's handler reports.
    private final class Events: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var isSecure = false
        var bytes: [UInt8] = []

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted = event as? TLSUserEvent { isSecure = true }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
        }
    }

    /// The end of the channel's output, which `EmbeddedChannel` does not have.
    private final class Output: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var isClosed = false

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            guard mode == .output else { return context.close(mode: mode, promise: promise) }
            isClosed = true
            promise?.succeed(())
        }
    }

    /// The problems of this test's own server.
    struct Failure: Error {}

    let channel: EmbeddedChannel
    /// The decrypted bytes from the client.
    private(set) var received: [UInt8] = []
    /// True when the client's close notification has arrived.
    private(set) var isEnded = false
    private let output = Output()
    private let events = Events()
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer

    /// - Parameters:
    ///   - client: what the client trusts.
    ///   - host: the host that the client asks for.
    ///   - ciphers: the ciphers of TLS 1.2 and before, or nil for the standard ones.
    ///   - maximumVersion: the latest version of TLS (`TLS1_2_VERSION`), or 0 for the latest that exists.
    init(
        _ pair: Certificates.Pair, client: TLSContext, host: String, ciphers: String? = nil, maximumVersion: Int32 = 0
    ) throws {
        channel = EmbeddedChannel(handlers: [output, try TLSHandler(client, host: host), events])
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw Failure() }
        self.context = context
        if let ciphers { SSL_CTX_set_cipher_list(context, ciphers) }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximumVersion), nil)
        guard SSL_CTX_use_certificate_file(context, pair.certificate, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_use_PrivateKey_file(context, pair.key, SSL_FILETYPE_PEM) == 1, let ssl = SSL_new(context),
            let incoming = copenssl_new_memory(), let outgoing = copenssl_new_memory()
        else { throw Failure() }
        (self.ssl, self.incoming, self.outgoing) = (ssl, incoming, outgoing)
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// True after the client's `handshakeCompleted`.
    var isSecure: Bool { events.isSecure }

    /// True when the client has closed its output.
    var isOutputClosed: Bool { output.isClosed }

    /// The decrypted bytes that arrived in the client's channel.
    var delivered: [UInt8] { events.bytes }

    /// The name that the client sent (SNI).
    var indicatedName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// Connects, and exchanges bytes until both sides wait. Throws the error of the client's channel.
    func connect() throws {
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        try exchange()
    }

    /// Exchanges bytes until both sides wait. Throws the error of the client's channel.
    func exchange() throws {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
                hasMoved = hasMoved || bytes.readableBytes > 0
                _ = bytes.withUnsafeReadableBytes { BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
            }
            read()
            let bytes = takeBytes()
            guard !bytes.isEmpty else { continue }
            hasMoved = true
            try channel.writeInbound(ByteBuffer(bytes: bytes))
        }
    }

    /// Encrypts bytes for the client.
    func send(_ bytes: [UInt8]) {
        SSL_write(ssl, bytes, Int32(bytes.count))
    }

    /// Updates the server's keys, and requests that the client updates its own (TLS 1.3).
    func updateKeys() {
        SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED)
        SSL_do_handshake(ssl)
    }

    /// Encrypts the close notification for the client.
    func end() {
        SSL_shutdown(ssl)
    }

    /// Takes the encrypted bytes that were not exchanged yet.
    func takeBytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
        if !bytes.isEmpty { BIO_read(outgoing, &bytes, Int32(bytes.count)) }
        return bytes
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &bytes, Int32(bytes.count))
            guard count > 0 else {
                isEnded = SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN
                return
            }
            received += bytes.prefix(Int(count))
        }
    }
}
