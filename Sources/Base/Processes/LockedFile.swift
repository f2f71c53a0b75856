import Glibc

/// A file that belongs to one owner while it is locked. A process that is killed leaves the file without a lock.
///
/// The file is deleted at the end. Another process can open it shortly before and then lock a deleted file. Therefore a
/// lock is valid only if the path still leads to the locked file. Thread-safe, except for `write`.
package final class LockedFile: Sendable {
    /// How the file is locked. The kinds do not see each other, so all programs that use a file use the same one.
    package enum Kind: Sendable {
        /// flock(2). It needs no right to write to the file.
        case whole
        /// A write lock of fcntl(2) on the open file description (`F_OFD_SETLK`). Others can ask for it without
        /// acquiring it (`read`).
        case writing
    }

    /// Who uses the file.
    package enum Users: Sendable {
        /// This user (mode 0600).
        case one
        /// All users: each can lock the file of another (mode 0644, whatever the umask is).
        case all
    }

    /// Why a file was not locked.
    package enum Failure: Error, Equatable {
        /// Another process, or another owner in this one, has the lock.
        case inUse
        case system(SystemError)
    }

    private let file: FileDescriptor
    private let path: String

    /// Locks the file at `path`, and creates it. It does not wait for another owner.
    ///
    /// Throws EINVAL if the file is not an ordinary one.
    package init(path: String, kind: Kind, users: Users = .one) throws(Failure) {
        while true {
            let file = FileDescriptor(owning: try Self.open(path, for: users))
            try Self.lock(file.raw, kind)
            if FileIdentity(of: file.raw) == FileIdentity(at: path) {
                self.file = file
                self.path = path
                return
            }
        }
    }

    /// Deletes the file before it releases the lock. The order is important.
    deinit {
        if isValid { unlink(path) }
    }

    /// False after the file was deleted or replaced: another process can then lock a file at the path.
    package var isValid: Bool { FileIdentity(of: file.raw) == FileIdentity(at: path) }

    // MARK: Content

    /// Replaces the content by a line.
    package func write(_ line: String) {
        let text = Array("\(line)\n".utf8)
        // In this order a reader always finds a whole first line.
        _ = text.withUnsafeBytes { pwrite(file.raw, $0.baseAddress, $0.count, 0) }
        ftruncate(file.raw, off_t(text.count))
    }

    /// Returns the line of the file at `path`, at most 4096 bytes; nil if it has no owner with a lock of the kind
    /// `writing`.
    package static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor(path: path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        var request = writeLock
        guard fcntl(file.raw, getLock, &request) == 0, request.l_type != Int16(F_UNLCK) else { return nil }
        let text = String(decoding: (try? file.read(upTo: 4096)) ?? [], as: UTF8.self)
        return text.split(separator: "\n").first.map(String.init)
    }

    /// Deletes the file at `path`, of the kind `writing`, if a process that was killed has left it with a content.
    ///
    /// - Returns: false if there is no such file, or if it has an owner.
    package static func removeAbandoned(_ path: String) -> Bool {
        var status = stat()
        // A process that is about to lock a new file has not written to it.
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return false }
        guard read(path) == nil, let file = try? LockedFile(path: path, kind: .writing) else { return false }
        return file.isValid
    }

    // MARK: System calls

    private static func open(_ path: String, for users: Users) throws(Failure) -> Int32 {
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        while true {
            let descriptor =
                switch users {
                case .one: Glibc.open(path, O_RDWR | O_CREAT | flags, 0o600)
                case .all: openForAll(path, flags)
                }
            if descriptor >= 0 { return descriptor }
            let code = errno
            // Another process created the file in between.
            guard users == .all, code == EEXIST else { throw .system(SystemError(code: code)) }
        }
    }

    /// Returns -1 and sets errno if the file cannot be opened; EEXIST if it was created meanwhile.
    private static func openForAll(_ path: String, _ flags: Int32) -> Int32 {
        // A file of another user can be locked, too. The kernel does not open it with O_CREAT in a folder like /tmp
        // (protected_regular in proc_sys_fs(5)).
        var descriptor = Glibc.open(path, O_RDWR | flags)
        if descriptor < 0, errno == EACCES { descriptor = Glibc.open(path, O_RDONLY | flags) }
        guard descriptor < 0, errno == ENOENT else { return descriptor }
        descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0o644)
        // Whatever the umask is: other users must be able to open it.
        if descriptor >= 0 { fchmod(descriptor, 0o644) }
        return descriptor
    }

    private static func lock(_ descriptor: Int32, _ kind: Kind) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .system(SystemError(code: EINVAL)) }
        let result: Int32
        switch kind {
        case .whole:
            result = flock(descriptor, LOCK_EX | LOCK_NB)
        case .writing:
            var request = writeLock
            result = fcntl(descriptor, setLock, &request)
        }
        guard result != 0 else { return }
        let error = SystemError.last
        throw error.code == EAGAIN || error.code == EACCES ? .inUse : .system(error)
    }

    /// A write lock on the whole file.
    private static var writeLock: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    /// F_OFD_GETLK and F_OFD_SETLK of fcntl(2), which Swift does not import.
    private static let getLock: Int32 = 36
    private static let setLock: Int32 = 37
}
