import Glibc
import Processes

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
