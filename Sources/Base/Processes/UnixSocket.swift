import Glibc

/// Sockets of the file system (unix(7)).
package enum UnixSocket {
    /// Returns true unless it is certain that no program listens at `path`. Does not block.
    package static func hasListener(at path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return true }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard raw >= 0 else { return true }
        let descriptor = FileDescriptor(owning: raw)
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        // A full queue (EAGAIN) or a missing right is no proof.
        return ![ENOENT, ECONNREFUSED].contains(code)
    }
}
