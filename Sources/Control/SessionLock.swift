import Glibc

/// A file beside a session's socket that only one process can hold: whoever has it has the session's name.
///
/// It is removed with the session. Another process may have opened it just before, and get the lock of a file that has no name any more:
/// what counts is the lock of the file that the name leads to.
struct SessionLock: ~Copyable {
    private let descriptor: Int32
    private let path: String

    /// Takes the lock at `path`.
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

    /// Removes the file, then lets go of the lock: never the other way round.
    deinit {
        unlink(path)
        close(descriptor)
    }
}
