import Glibc
import Synchronization

/// A lock file next to a session's socket. The process that holds the lock has the session's name.
///
/// The file is deleted at the end of the session. Another process can open the file shortly before and then lock a
/// deleted file. Therefore a lock is valid only if the path still refers to the locked file.
final class SessionLock: Sendable {
    private let descriptor: Int32
    private let path: String

    /// Acquires the lock at `path`. Throws `inUse` if another process holds it.
    init(path: String) throws(ControlServer.Failure) {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .cannotBind(code: errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw .inUse
            }
            if FileIdentity(of: descriptor) == FileIdentity(at: path) {
                self.descriptor = descriptor
                self.path = path
                return
            }
            close(descriptor)
        }
    }

    /// False after the file was deleted or replaced: another process can then acquire the name.
    var isValid: Bool { FileIdentity(of: descriptor) == FileIdentity(at: path) }

    /// Deletes the file before it releases the lock. The order is important.
    deinit {
        if isValid { unlink(path) }
        close(descriptor)
    }
}

/// The identity of a file, which differs from that of a later file at the same path.
struct FileIdentity: Equatable {
    private let device: UInt
    private let inode: UInt

    /// The file of an open descriptor.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file that has that path, without following a link.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}

/// The entry of a session in a list that does not depend on the runtime folder: where its socket is, and which process
/// it is.
///
/// The runtime folder can differ between the session and a client (cron, su, ssh), and the system can remove it while
/// the session is live. The entry is a file in the state folder. The session holds a lock on it (fcntl(2), open file
/// description locks), so an entry without a lock is what a killed session left behind.
package final class SessionRegistration: Sendable {
    /// The content of the entry, for clients.
    package struct Entry: Sendable, Equatable {
        /// The path of the control socket.
        package var socket: String
        package var process: Int32

        package init(socket: String, process: Int32) {
            self.socket = socket
            self.process = process
        }
    }

    private let descriptor: Int32
    private let path: String

    /// Creates the entry at `path`. Throws `inUse` if another process has an entry there.
    package init(path: String, socket: String) throws(ControlServer.Failure) {
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
                update(socket: socket)
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

    /// The socket has another path now.
    package func update(socket: String) {
        let text = Array("\(getpid()) \(socket)\n".utf8)
        // In this order a reader always finds a whole first line.
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, off_t(text.count))
    }

    /// Returns the entry at `path`, or nil if no process has one there.
    package static func read(_ path: String) -> Entry? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var request = wholeFile
        guard fcntl(descriptor, getLock, &request) == 0, request.l_type != Int16(F_UNLCK) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        let parts = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").first?.split(separator: " ", maxSplits: 1)
        guard let parts, parts.count == 2, let process = Int32(parts[0]), parts[1].hasPrefix("/") else { return nil }
        return Entry(socket: String(parts[1]), process: process)
    }

    /// A write lock on the whole file.
    private static var wholeFile: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    /// F_OFD_GETLK and F_OFD_SETLK of fcntl(2), which Swift does not import.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37
}
