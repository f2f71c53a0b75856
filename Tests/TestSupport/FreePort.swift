import Foundation
import Synchronization

/// A display that does not exist.
///
/// If it has no socket, libxcb connects to port 6000 + its number on localhost. This is port 9999, below those that
/// `freePort` returns: no test has a server there.
package let missingDisplay = ":3999"

private let lastPort = Mutex(Int.random(in: 10_000..<32_000))

/// A port of 127.0.0.1 that nothing uses at this moment, neither for TCP nor for UDP. No call gives a port twice, in
/// any test process that runs at the same time: a server needs some time before it binds its port.
///
/// The ports lie below the range from which the kernel takes ports for outgoing connections (32768 and up), so that no
/// connection takes the port before the test's server binds it. Each test process starts at a random one.
package func freePort() throws(PeerError) -> Int {
    for _ in 0..<1000 {
        let port = lastPort.withLock { port in
            port = port >= 31_999 ? 10_000 : port + 1
            return port
        }
        if try reserve(port), try canBind(port, SOCK_STREAM), try canBind(port, SOCK_DGRAM) { return port }
    }
    throw .missing("no port of 10000...31999 is free")
}

/// Reserves a port for this process as long as it runs, by the abstract name of a socket. Returns false if another test
/// process has it.
package func reserve(_ port: Int) throws(PeerError) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A name that begins with a zero is in no file system, and ends with its socket (unix(7)).
    let name = [0] + Array("broadcast-test-port-\(port)".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
    let isReserved = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) == 0 }
    }
    if !isReserved { close(descriptor) }
    return isReserved
}

private func canBind(_ port: Int, _ type: __socket_type) throws(PeerError) -> Bool {
    let descriptor = socket(AF_INET, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
