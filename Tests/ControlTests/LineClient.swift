import Foundation
import TestSupport

/// A client of the control socket that can send any bytes, on a plain socket.
final class LineClient {
    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    /// Connects to the socket at `path`.
    init(path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let status = Self.withAddress(of: path) { connect(descriptor, $0, $1) }
        guard status == 0 else { throw Failure(call: "connect", code: errno) }
    }

    deinit {
        close(descriptor)
    }

    /// Creates a socket file without a listener, as a killed session leaves it behind.
    static func leaveStaleSocket(at path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return withAddress(of: path) { bind(descriptor, $0, $1) } == 0
    }

    /// Writes all of `text`. Returns false if the peer closed the connection.
    @discardableResult func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Returns the next line without its newline, or nil if the peer closed the connection. Waits at most ten seconds,
    /// without blocking a thread.
    nonisolated(nonsending) func nextLine() async throws -> String? {
        var isClosed = false
        try await waitUntil("a line", deadline: .seconds(10)) {
            while !isClosed && !received.contains(0x0A) {
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count > 0 {
                    received += buffer[..<count]
                } else if count == 0 || errno == ECONNRESET {
                    isClosed = true
                } else {
                    guard errno == EAGAIN else { throw Failure(call: "recv", code: errno) }
                    return false
                }
            }
            return true
        }
        guard let end = received.firstIndex(of: 0x0A) else { return nil }
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
    }

    fileprivate static func withAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
    {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// Simulates a stopped session: its socket accepts connections, but no process reads from them.
final class SilentListener {
    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard LineClient.withAddress(of: path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 16) == 0 else {
            throw LineClient.Failure(call: "listen", code: errno)
        }
    }

    deinit {
        close(descriptor)
    }
}
