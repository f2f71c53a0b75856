import Glibc

/// One of the addresses of a host, with the port.
package struct SRTPeerAddress: Equatable, Sendable {
    /// A `sockaddr_in` or `sockaddr_in6`.
    package let bytes: [UInt8]

    /// The addresses on which a listener without a host listens, in order: both versions of IP, or only the fourth.
    package static func any(port: String) throws(SRTFailure) -> [SRTPeerAddress] {
        try all(host: "::", port: port) + all(host: "0.0.0.0", port: port)
    }

    /// True if `text` is an IP address.
    static func isNumeric(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    var isIPv6: Bool { bytes.count == MemoryLayout<sockaddr_in6>.size }

    /// Resolves a host name. The addresses are in the system's order of preference (RFC 6724). This can block for
    /// seconds.
    package static func all(host: String, port: String) throws(SRTFailure) -> [SRTPeerAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, port, &hints, &first)
        guard code == 0 else {
            throw .unreachable("the host's name cannot be resolved (\(String(cString: gai_strerror(code))))")
        }
        defer { freeaddrinfo(first) }
        var addresses: [SRTPeerAddress] = []
        var next = first
        while let entry = next {
            let bytes = [UInt8](
                UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen)))
            addresses.append(SRTPeerAddress(bytes: bytes))
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
