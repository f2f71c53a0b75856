import Foundation

/// Connects to the stream socket of a path. The caller closes the descriptor. Returns nil if nothing listens there.
package func connection(to path: String) throws -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw PeerError.system(call: "socket", errno: errno) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let capacity = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < capacity else {
        close(descriptor)
        throw PeerError.answer("The socket's path is too long: \(path)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
    guard connected == 0 else {
        close(descriptor)
        return nil
    }
    return descriptor
}

/// A client of a session's control socket: one JSON object on a line, answered by one JSON object on a line. It shares
/// no code with the program.
package enum ControlSocket {
    /// Sends a request and gives the line that answers it, or nil if nothing listens at `path` or the session ends
    /// before it answers. Throws if no answer arrives within 10 s. Does not block a thread of Swift's pool.
    package static func ask(_ request: String, at path: String) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            BlockingQueue.run { continuation.resume(with: Result { try answer(to: request, at: path) }) }
        }
    }

    private static func answer(to request: String, at path: String) throws -> String? {
        guard let descriptor = try connection(to: path) else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let line = Array((request + "\n").utf8)
        guard send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else { return nil }
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reply.last != 0x0A {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                throw PeerError.deadline("an answer at \(path)", context: "The session accepted the request.")
            }
            guard count > 0 else { return nil }
            reply += buffer[..<count]
        }
        return String(decoding: reply, as: UTF8.self)
    }
}
