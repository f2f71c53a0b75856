import Glibc
import Media
import WebRTC

/// The UDP sockets of a connection, one for each version of IP, and a way to wake the thread that waits for them.
struct DatagramSockets: ~Copyable {
    private static let bufferSize: Int32 = 1 << 20
    private static let longest = 2048
    /// The most datagrams of one turn, so that sending goes on.
    private static let batch = 64

    private let sockets: [(descriptor: Int32, isIPv6: Bool)]
    /// Where the sockets can be reached.
    let addresses: [TransportAddress]

    /// - Parameters:
    ///   - own: the address to use; nil for all of this machine.
    ///   - withLoopback: true if the peer is on this machine.
    /// - Returns: nil if the system has no socket.
    init?(own: TransportAddress?, withLoopback: Bool) {
        var sockets: [(descriptor: Int32, isIPv6: Bool)] = []
        var addresses: [TransportAddress] = []
        for isIPv6 in [false, true] where own.map({ $0.isIPv6 == isIPv6 }) ?? true {
            guard let place = own ?? TransportAddress(isIPv6 ? "::" : "0.0.0.0", port: 0),
                let (descriptor, port) = Self.open(place)
            else { continue }
            sockets.append((descriptor, isIPv6))
            addresses += Self.hosts(isIPv6: isIPv6, port: port, withLoopback: withLoopback || own?.isLoopback == true)
                .filter { own.map { $0.address }.map([$0.address].contains) ?? true }
        }
        guard !sockets.isEmpty else { return nil }
        (self.sockets, self.addresses) = (sockets, addresses)
    }

    deinit {
        for socket in sockets { close(socket.descriptor) }
    }

    private static func open(_ place: TransportAddress) -> (descriptor: Int32, port: UInt16)? {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(place.isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        var one: Int32 = 1
        if place.isIPv6 {
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        var size = bufferSize
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isBound =
            place.withSocketAddress { bind(descriptor, $0, $1) } == 0
            && withUnsafeMutablePointer(to: &storage) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            } == 0
        guard isBound, let bound = withUnsafeBytes(of: storage, { TransportAddress(socketAddress: $0) }) else {
            close(descriptor)
            return nil
        }
        return (descriptor, bound.port)
    }

    /// The addresses of this machine that a peer may reach.
    private static func hosts(isIPv6: Bool, port: UInt16, withLoopback: Bool) -> [TransportAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var result: [TransportAddress] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let pointer = entry.pointee.ifa_addr else { continue }
            let family = Int32(pointer.pointee.sa_family)
            guard family == (isIPv6 ? AF_INET6 : AF_INET) else { continue }
            let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            guard let address = TransportAddress(socketAddress: UnsafeRawBufferPointer(start: pointer, count: size)),
                !address.isLinkLocal, withLoopback || !address.isLoopback,
                let reachable = TransportAddress(address.text, port: port)
            else { continue }
            result.append(reachable)
        }
        // Loopback last: a real address also works from this machine.
        return Array((result.filter { !$0.isLoopback } + result.filter(\.isLoopback)).prefix(8))
    }

    /// The address of a relay, in IPv4 if it has one: what it relays to then is IPv4 too. Nil if it has none. Blocks.
    static func address(of server: RelayServer) -> TransportAddress? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(server.host, String(server.port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var addresses: [TransportAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ai_next
            let bytes = UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            if let address = TransportAddress(socketAddress: bytes) { addresses.append(address) }
        }
        return addresses.first { !$0.isIPv6 } ?? addresses.first
    }

    /// Sends a datagram. One that the system does not take is lost, as in the network.
    func send(_ bytes: [UInt8], to address: TransportAddress) {
        guard let socket = sockets.first(where: { $0.isIPv6 == address.isIPv6 }) else { return }
        address.withSocketAddress { target, length in
            _ = sendto(socket.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), target, length)
        }
    }

    /// Waits for a datagram or for `wake`, at most for `time`. Returns the datagrams that have arrived.
    ///
    /// - Parameter wake: an event counter, which is set to zero.
    func wait(_ time: MediaTime, wake: Int32) -> [(bytes: [UInt8], from: TransportAddress)] {
        var polled = (sockets.map(\.descriptor) + [wake]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // Rounded up: a wait that ends too early would only begin again.
        let milliseconds = Int32((max(0, time.nanoseconds) + 999_999) / 1_000_000)
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return [] }
        if polled[polled.count - 1].revents != 0 {
            var count: UInt64 = 0
            _ = read(wake, &count, 8)
        }
        var result: [(bytes: [UInt8], from: TransportAddress)] = []
        for (socket, state) in zip(sockets, polled) where state.revents != 0 {
            while result.count < Self.batch, let datagram = Self.receive(socket.descriptor) { result.append(datagram) }
        }
        return result
    }

    private static func receive(_ descriptor: Int32) -> (bytes: [UInt8], from: TransportAddress)? {
        var buffer = [UInt8](repeating: 0, count: longest)
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        guard count > 0, let from = withUnsafeBytes(of: storage, { TransportAddress(socketAddress: $0) }) else {
            return nil
        }
        return (Array(buffer.prefix(count)), from)
    }
}
