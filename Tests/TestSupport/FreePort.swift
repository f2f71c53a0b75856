import Foundation

/// A TCP port on 127.0.0.1 that nothing listens on at this moment. The kernel hands them out in turn, so two tests do not get the same one.
package func freePort() throws(PeerError) -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
        }
    }
    guard status == 0 else { throw .system(call: "bind", errno: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
}
