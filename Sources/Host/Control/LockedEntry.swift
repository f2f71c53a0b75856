import Glibc
import Processes

/// A file with one line that is valid while a process holds the lock on it (fcntl(2), open file description locks). A
/// killed process leaves a file without a lock.
///
/// The file is deleted at the end. Another process can open it shortly before and then lock a deleted file. Therefore a
/// lock is valid only if the path still leads to the locked file.
package final class LockedEntry: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Creates the file. Throws `inUse` if another process, or another owner in this one, has it.
    package init(path: String) throws(ControlServer.Failure) {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .cannotBind(code: errno) }
            var request = Self.wholeFile
            guard fcntl(descriptor, Self.setLock, &request) == 0 else {
                let code = errno
                close(descriptor)
                throw code == EAGAIN || code == EACCES ? .inUse : .cannotBind(code: code)
            }
            if FileIdentity(of: descriptor) == FileIdentity(at: path) {
                self.descriptor = descriptor
                self.path = path
                return
            }
            close(descriptor)
        }
    }

    /// Deletes the file before it releases the lock. The order is important.
    deinit {
        if FileIdentity(of: descriptor) == FileIdentity(at: path) { unlink(path) }
        close(descriptor)
    }

    /// Replaces the line.
    package func write(_ line: String) {
        let text = Array("\(line)\n".utf8)
        // In this order a reader always finds a whole first line.
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, off_t(text.count))
    }

    /// Returns the line at `path`, or nil if no process has the file there.
    package static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var request = wholeFile
        guard fcntl(descriptor, getLock, &request) == 0, request.l_type != Int16(F_UNLCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").first.map(
            String.init)
    }

    /// A write lock on the whole file.
    private static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    /// F_OFD_GETLK and F_OFD_SETLK of fcntl(2), which Swift does not import.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37
}
