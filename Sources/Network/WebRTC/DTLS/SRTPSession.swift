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
    func protect(_ packet: RTPPacket) -> [UInt8]? {
        transform(packet.header, packet.payload, room: Self.tagSize) { srtp_protect(outgoing, $0, $1) }
    }

    func protect(control packet: [UInt8]) -> [UInt8]? {
        transform(packet, room: Self.rtcpTagSize) { srtp_protect_rtcp(outgoing, $0, $1) }
    }

    /// Decrypts a packet of RTCP. Returns nil if it is not authentic, or was received before.
    func unprotect(control packet: [UInt8]) -> [UInt8]? {
        transform(packet, room: 0) { srtp_unprotect_rtcp(incoming, $0, $1) }
    }

    /// Transforms bytes in place.
    ///
    /// - Parameters:
    ///   - first: what is transformed: these bytes, and those of `second`.
    ///   - room: the most bytes that are added.
    private func transform(
        _ first: [UInt8], _ second: [UInt8] = [], room: Int,
        _ body: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> srtp_err_status_t
    ) -> [UInt8]? {
        let size = first.count + second.count
        // libsrtp writes a tag of any profile behind the packet.
        let capacity = size + room + Int(SRTP_MAX_TRAILER_LEN)
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, filled in
            _ = buffer[..<first.count].initialize(fromContentsOf: first)
            _ = buffer[first.count..<size].initialize(fromContentsOf: second)
            var count = Int32(size)
            guard let start = buffer.baseAddress, body(start, &count) == srtp_err_status_ok, count >= 0,
                count <= capacity
            else { return }
            filled = Int(count)
        }
        // No packet is empty.
        return bytes.isEmpty ? nil : bytes
    }
}
