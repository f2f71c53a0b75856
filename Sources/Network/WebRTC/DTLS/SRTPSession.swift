import CSRTP

/// Encrypts what is sent, and decrypts what is received (RFC 3711, by libsrtp). Use it on one thread.
final class SRTPSession {
    /// What encryption adds to RTP, and at most to RTCP.
    static let tagSize = 10
    private static let rtcpTagSize = 14

    private let outgoing: srtp_t
    private let incoming: srtp_t
    private static let isStarted = srtp_init() == srtp_err_status_ok

    init(_ keys: DTLSConnection.Keys) throws(WebRTCError) {
        guard Self.isStarted, let outgoing = csrtp_new_session(keys.outgoing, 1) else { throw .noMemory }
        guard let incoming = csrtp_new_session(keys.incoming, 0) else {
            srtp_dealloc(outgoing)
            throw .noMemory
        }
        (self.outgoing, self.incoming) = (outgoing, incoming)
    }

    deinit {
        srtp_dealloc(outgoing)
        srtp_dealloc(incoming)
    }

    /// Encrypts a packet of RTP. Returns nil if libsrtp rejects it.
    func protect(_ packet: [UInt8]) -> [UInt8]? {
        transform(packet, room: Self.tagSize) { srtp_protect(outgoing, $0, $1) }
    }

    func protect(control packet: [UInt8]) -> [UInt8]? {
        transform(packet, room: Self.rtcpTagSize) { srtp_protect_rtcp(outgoing, $0, $1) }
    }

    /// Decrypts a packet of RTCP. Returns nil if it is not authentic, or was received before.
    func unprotect(control packet: [UInt8]) -> [UInt8]? {
        transform(packet, room: 0) { srtp_unprotect_rtcp(incoming, $0, $1) }
    }

    private func transform(
        _ packet: [UInt8], room: Int,
        _ body: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> srtp_err_status_t
    ) -> [UInt8]? {
        // libsrtp writes a tag of any profile behind the packet.
        var bytes = packet + [UInt8](repeating: 0, count: room + Int(SRTP_MAX_TRAILER_LEN))
        var count = Int32(packet.count)
        let status = bytes.withUnsafeMutableBytes { buffer in
            // The array has at least the bytes of the tag, or a packet of RTCP that was checked not to be empty.
            buffer.baseAddress.map { body($0, &count) } ?? srtp_err_status_fail
        }
        guard status == srtp_err_status_ok, count >= 0, Int(count) <= bytes.count else { return nil }
        bytes.removeLast(bytes.count - Int(count))
        return bytes
    }
}
