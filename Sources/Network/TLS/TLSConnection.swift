import COpenSSL
import NIOCore

/// One side of a TLS connection, without I/O: bytes of the network and bytes of the application are passed in and out.
/// Use it on one thread.
///
/// On the client's side, OpenSSL verifies the server's certificate and that it is for the host during the handshake.
final class TLSConnection {
    /// The result of `handshake`.
    enum Progress {
        /// More bytes of the other side are required.
        case incomplete
        case complete
    }

    /// Why `read` has no more bytes.
    enum Pause {
        /// More bytes of the other side are required.
        case incomplete
        /// The other side sent its close notification: no more bytes follow.
        case closed
    }

    /// Plain bytes that are encrypted at once: 4 records. It limits the memory for encrypted bytes.
    private static let chunk = 65_536
    /// The maximum size of the plain bytes of a record (RFC 8446, section 5.1).
    private static let recordSize = 16_384

    private let ssl: OpaquePointer
    /// Encrypted bytes from the other side and to it. `ssl` owns both.
    private let received: OpaquePointer
    private let toSend: OpaquePointer

    /// Creates the client's side.
    ///
    /// - Parameter identity: the identity that the server's certificate must prove.
    /// - Throws: `wrongHost` if no certificate can prove the identity; `failed` without memory.
    convenience init(_ context: TLSContext, identity: ServerIdentity) throws(TLSProblem) {
        try self.init(context.pointer)
        SSL_set_connect_state(ssl)
        guard let parameters = SSL_get0_param(ssl), identity.require(in: parameters) else { throw .wrongHost }
        if let name = identity.indicatedName, copenssl_set_server_name(ssl, name) != 1 { throw .current() }
    }

    /// Creates the server's side.
    ///
    /// - Throws: `failed` without memory.
    convenience init(_ credentials: ServerCredentials) throws(TLSProblem) {
        try self.init(credentials.pointer)
        SSL_set_accept_state(ssl)
    }

    private init(_ context: OpaquePointer) throws(TLSProblem) {
        ERR_clear_error()
        guard let ssl = SSL_new(context) else { throw .current() }
        guard let received = copenssl_new_memory(), let toSend = copenssl_new_memory() else {
            SSL_free(ssl)
            throw .failed("no memory")
        }
        SSL_set_bio(ssl, received, toSend)
        (self.ssl, self.received, self.toSend) = (ssl, received, toSend)
    }

    deinit {
        SSL_free(ssl)
    }

    // MARK: Bytes of the network

    /// Takes encrypted bytes that the other side sent.
    func receive(_ bytes: ByteBuffer) throws(TLSProblem) {
        let count = bytes.withUnsafeReadableBytes { BIO_write(received, $0.baseAddress, Int32($0.count)) }
        guard count == bytes.readableBytes else { throw .failed("no memory") }
    }

    /// Returns the encrypted bytes to send to the other side; nil if there are none.
    func takeBytesToSend(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
        let count = BIO_ctrl_pending(toSend)
        guard count > 0 else { return nil }
        var bytes = allocator.buffer(capacity: count)
        bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
            max(0, Int(BIO_read(toSend, target.baseAddress, Int32(count))))
        }
        return bytes
    }

    // MARK: Bytes of the application

    /// Continues the handshake with the bytes that the other side sent.
    func handshake() throws(TLSProblem) -> Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .complete }
        guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw .current(SSL_get_verify_result(ssl)) }
        return .incomplete
    }

    /// The days until the server's certificate expires; nil before the handshake is complete.
    var certificateDaysLeft: Int? {
        guard let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else { return nil }
        return Int(days)
    }

    /// Appends the decrypted bytes that the other side sent to `bytes`.
    func read(into bytes: inout ByteBuffer) throws(TLSProblem) -> Pause {
        while true {
            ERR_clear_error()
            var result: Int32 = 0
            bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.recordSize) { target in
                result = SSL_read(ssl, target.baseAddress, Int32(target.count))
                return max(0, Int(result))
            }
            guard result <= 0 else { continue }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return .incomplete
            case SSL_ERROR_ZERO_RETURN: return .closed
            default: throw .current()
            }
        }
    }

    /// Encrypts at most 64 KiB of `bytes`, and removes them from it.
    func write(_ bytes: inout ByteBuffer) throws(TLSProblem) {
        guard let chunk = bytes.readSlice(length: min(bytes.readableBytes, Self.chunk)), chunk.readableBytes > 0 else {
            return
        }
        ERR_clear_error()
        let result = chunk.withUnsafeReadableBytes { SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
        guard result == chunk.readableBytes else { throw .current() }
    }

    /// Encrypts the close notification (RFC 8446, section 6.1). No bytes can be encrypted afterwards.
    func close() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }
}
