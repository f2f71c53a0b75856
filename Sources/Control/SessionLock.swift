import Glibc

/// A lock file next to a session's socket. The process that holds the lock has the session's name.
///
/// The file is deleted at the end of the session. Another process can open the file shortly before and then lock a
/// deleted file. Therefore a lock is valid only if the path still refers to the locked file.
struct SessionLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Acquires the lock at `path`. Throws `inUse` if another process holds it.
    init(path: String) throws(ControlServer.Failure) {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .cannotBind(String(cString: strerror(errno))) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                throw .inUse
            }
            var opened = stat()
            var named = stat()
            if fstat(descriptor, &opened) == 0, stat(path, &named) == 0, opened.st_ino == named.st_ino, opened.st_dev == named.st_dev {
                self.descriptor = descriptor
                self.path = path
                return
            }
            close(descriptor)
        }
    }

    /// Deletes the file before it releases the lock. The order is important.
    deinit {
        unlink(path)
        close(descriptor)
    }
}
