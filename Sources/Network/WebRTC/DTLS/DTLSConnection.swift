import COpenSSL
import Media

/// A handshake of DTLS that agrees on keys for SRTP (RFC 5764), without sockets: datagrams go in and out. Use it on one
/// thread.
package final class DTLSConnection {
    /// What the handshake has agreed on: a master key of 16 bytes and a salt of 14 for each direction.
    package struct Keys {
        package var outgoing: [UInt8]
        package var incoming: [UInt8]
    }

    package enum Progress {
        case incomplete
        case complete(Keys)
        /// The peer has ended the connection.
        case closed
    }

    /// The size of the largest datagram: what every path carries, without the heads of IPv6 and UDP.
    private static let datagramSize = 1200
    private static let profile = "SRTP_AES128_CM_SHA1_80"
    private static let recordHeaderSize = 13

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    /// `ssl` owns both.
    private let received: OpaquePointer
    private let toSend: OpaquePointer
    private let certificate: DTLSCertificate
    private let isClient: Bool
    /// The fingerprint in the peer's description, in upper case.
    private let peerFingerprint: String
    private var isComplete = false

    /// - Parameter isClient: true if this side begins.
    package init(_ certificate: DTLSCertificate, peerFingerprint: String, isClient: Bool) throws(WebRTCError) {
        (self.certificate, self.isClient) = (certificate, isClient)
        self.peerFingerprint = peerFingerprint.uppercased()
        guard let context = SSL_CTX_new(DTLS_method()) else { throw .noMemory }
        guard SSL_CTX_use_certificate(context, certificate.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, certificate.key) == 1,
            // This function returns 0 on success.
            SSL_CTX_set_tlsext_use_srtp(context, Self.profile) == 0,
            let ssl = SSL_new(context), let received = copenssl_new_memory(), let toSend = copenssl_new_memory()
        else {
            SSL_CTX_free(context)
            throw .noMemory
        }
        // No authority signs it: the fingerprint decides, after the handshake.
        SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT) { _, _ in 1 }
        SSL_set_bio(ssl, received, toSend)
        copenssl_set_datagram_size(ssl, Self.datagramSize)
        if isClient { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
        (self.context, self.ssl, self.received, self.toSend) = (context, ssl, received, toSend)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Continues with a datagram of the peer; without one, begins.
    ///
    /// Throws `wrongFingerprint` if the peer is not the one of the description, `handshakeFailed` otherwise.
    package func advance(_ datagram: [UInt8]? = nil) throws(WebRTCError) -> Progress {
        ERR_clear_error()
        if let datagram { _ = BIO_write(received, datagram, Int32(datagram.count)) }
        guard !isComplete else { return readEnd() }
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw .handshakeFailed }
            return .incomplete
        }
        guard let peer = SSL_get0_peer_certificate(ssl), DTLSCertificate.fingerprint(of: peer) == peerFingerprint else {
            throw .wrongFingerprint
        }
        guard SSL_get_selected_srtp_profile(ssl) != nil, let keys = exportKeys() else { throw .handshakeFailed }
        isComplete = true
        return .complete(keys)
    }

    /// Returns the datagrams to send, of one record each.
    package func takeDatagrams() -> [[UInt8]] {
        let count = Int(BIO_ctrl_pending(toSend))
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        guard BIO_read(toSend, &bytes, Int32(count)) == count else { return [] }
        var datagrams: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= Self.recordHeaderSize {
            let size = Self.recordHeaderSize + Int(rest.number16(at: 11))
            datagrams.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return datagrams
    }

    /// The time until `repeatLost` must be called; nil if there is nothing to wait for.
    var timeLeft: MediaTime? {
        guard !isComplete else { return nil }
        let microseconds = copenssl_timeout(ssl)
        return microseconds < 0 ? nil : MediaTime(nanoseconds: Int64(microseconds) * 1000)
    }

    /// Sends again what the peer has not answered.
    func repeatLost() throws(WebRTCError) {
        if copenssl_handle_timeout(ssl) < 0 { throw .handshakeFailed }
    }

    /// Tells the peer that nothing follows.
    func close() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }

    private func readEnd() -> Progress {
        var byte: UInt8 = 0
        // There is no application data in this connection.
        while SSL_read(ssl, &byte, 1) > 0 {}
        return SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0 ? .closed : .incomplete
    }

    /// The client's key, the server's key, and both salts (RFC 5764, 4.2).
    private func exportKeys() -> Keys? {
        let label = "EXTRACTOR-dtls_srtp"
        var bytes = [UInt8](repeating: 0, count: 60)
        guard SSL_export_keying_material(ssl, &bytes, bytes.count, label, label.utf8.count, nil, 0, 0) == 1 else {
            return nil
        }
        let client = Array(bytes[0..<16] + bytes[32..<46])
        let server = Array(bytes[16..<32] + bytes[46..<60])
        return isClient ? Keys(outgoing: client, incoming: server) : Keys(outgoing: server, incoming: client)
    }
}
