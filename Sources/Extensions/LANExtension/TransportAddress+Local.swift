import Glibc
import WebRTC

extension TransportAddress {
    /// True if the text is an IP address: `192.0.2.1` or `2001:db8::1`.
    static func isAddress(_ text: String) -> Bool { TransportAddress(text, port: 0) != nil }

    /// True for addresses that no router of the Internet forwards: loopback, private (RFC 1918), shared (RFC 6598),
    /// link-local (RFC 3927), for documentation (RFC 5737), and those of IPv6 (RFC 4193, RFC 4291).
    package var isLocal: Bool {
        if isIPv6 { return isLoopback || isLinkLocal || address[0] & 0xfe == 0xfc }
        switch (address[0], address[1]) {
        case (10, _), (127, _), (192, 168), (169, 254): return true
        case (172, 16...31), (100, 64...127): return true
        case (192, 0) where address[2] == 2, (198, 51) where address[2] == 100, (203, 0) where address[2] == 113:
            return true
        default: return false
        }
    }

    /// The IPv4 address that this computer uses towards other networks. Nil without a route. Nothing is sent.
    package static func ofDefaultRoute() -> TransportAddress? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // An address for documentation (RFC 5737). A datagram socket only chooses its own address.
        guard let target = TransportAddress("192.0.2.1", port: 9),
            target.withSocketAddress({ connect(descriptor, $0, $1) }) == 0
        else { return nil }
        var own = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isNamed = withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        return isNamed ? withUnsafeBytes(of: own) { TransportAddress(socketAddress: $0) } : nil
    }
}
