import Glibc

/// An IP address as a number.
package struct NetworkAddress: Hashable {
    /// 4 or 16 bytes.
    package let bytes: [UInt8]

    /// Parses `192.0.2.1` or `2001:db8::1`. Nil for anything else.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bytes = withUnsafeBytes(of: six) { Array($0) }
        } else {
            return nil
        }
    }

    /// True for addresses that no router of the Internet forwards: loopback, private (RFC 1918), shared (RFC 6598),
    /// link-local (RFC 3927), for documentation (RFC 5737), and those of IPv6 (RFC 4193, RFC 4291).
    package var isLocal: Bool {
        if bytes.count == 4 {
            switch (bytes[0], bytes[1]) {
            case (10, _), (127, _), (192, 168), (169, 254): true
            case (172, 16...31), (100, 64...127): true
            case (192, 0) where bytes[2] == 2, (198, 51) where bytes[2] == 100, (203, 0) where bytes[2] == 113: true
            default: false
            }
        } else {
            bytes[0] & 0xfe == 0xfc || bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
                || bytes == [UInt8](repeating: 0, count: 15) + [1]
        }
    }

    /// The IPv4 address that this computer uses towards other networks. Nil without a route. Nothing is sent.
    package static func ofDefaultRoute() -> String? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = UInt16(9).bigEndian
        // An address for documentation (RFC 5737). A datagram socket only chooses its own address.
        inet_pton(AF_INET, "192.0.2.1", &target.sin_addr)
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) == 0 }
        }
        guard isConnected else { return nil }
        let isNamed = withUnsafeMutablePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isNamed else { return nil }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        guard inet_ntop(AF_INET, &own.sin_addr, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
