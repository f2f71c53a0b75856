import Glibc
import TestSupport
import Testing

/// What tests wait for before they connect to a server.
struct BoundPortsTests {
    @Test func `The last of a hundred servers is found, and a closed one is not`() throws {
        var sockets: [Int32] = []
        defer { for socket in sockets { close(socket) } }
        var ports: [Int] = []
        for _ in 0..<100 {
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            try #require(server >= 0)
            sockets.append(server)
            // Port 0: the kernel gives a free one.
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(server, address, length) == 0 && listen(server, 1) == 0
                        && getsockname(server, address, &length) == 0
                }
            }
            try #require(isListening)
            ports.append(Int(UInt16(bigEndian: address.sin_port)))
        }
        #expect(ports.filter { !isBound($0) } == [])
        close(sockets.removeLast())
        #expect(!isBound(ports[99]))
    }
}
