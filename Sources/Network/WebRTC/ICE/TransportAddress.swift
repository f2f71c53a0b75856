import Glibc

/// An IP address and a UDP port.
package struct TransportAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let address: [UInt8]
    package let port: UInt16

    package var isIPv6: Bool { address.count == 16 }

    /// Returns nil if `text` is not an IP address.
    package init?(_ text: String, port: UInt16) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            address = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            address = withUnsafeBytes(of: six) { Array($0) }
        } else {
            return nil
        }
        self.port = port
    }

    /// Returns nil if `bytes` is not an address in network order.
    package init?(bytes: [UInt8], port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        (address, self.port) = (bytes, port)
    }

    /// Reads a `sockaddr_in` or a `sockaddr_in6`. Returns nil for another family.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let value = bytes.loadUnaligned(as: sockaddr_in.self)
            address = withUnsafeBytes(of: value.sin_addr) { Array($0) }
            port = UInt16(bigEndian: value.sin_port)
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            let value = bytes.loadUnaligned(as: sockaddr_in6.self)
            address = withUnsafeBytes(of: value.sin6_addr) { Array($0) }
            port = UInt16(bigEndian: value.sin6_port)
        default: return nil
        }
    }

    /// The address without the port.
    package var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let result = address.withUnsafeBytes {
            inet_ntop(isIPv6 ? AF_INET6 : AF_INET, $0.baseAddress, &buffer, socklen_t(buffer.count))
        }
        return result.map { String(cString: $0) } ?? ""
    }

    package var description: String { isIPv6 ? "[\(text)]:\(port)" : "\(text):\(port)" }

    /// True if only this machine can have it.
    package var isLoopback: Bool {
        isIPv6 ? address == [UInt8](repeating: 0, count: 15) + [1] : address[0] == 127
    }

    /// True for an IPv6 address that is valid on one link only (RFC 4291, 2.5.6).
    package var isLinkLocal: Bool { isIPv6 && address[0] == 0xFE && address[1] & 0xC0 == 0x80 }

    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if isIPv6 {
            var value = sockaddr_in6()
            value.sin6_family = sa_family_t(AF_INET6)
            value.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: address) }
            return withUnsafePointer(to: value) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &value.sin_addr) { $0.copyBytes(from: address) }
        return withUnsafePointer(to: value) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
