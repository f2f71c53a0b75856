import Glibc
import Processes

/// A lock on a playlist, so that no second broadcast of this machine writes it: an empty file that is locked
/// (flock(2)).
///
/// The file is deleted at the end of the broadcast. Another process can open it shortly before and then lock a deleted
/// file. Therefore a lock is valid only if the path still leads to the locked file.
package final class PlaylistLock: Sendable {
    /// Another process has the lock.
    package struct InUse: Error {}

    private let descriptor: Int32
    private let path: String

    /// Locks the file at `path`, and creates it.
    ///
    /// - Returns: nil if no file can be locked there, which does not prevent a broadcast.
    /// - Throws: `InUse`, also if the other process belongs to another user.
    package static func acquire(_ path: String) throws(InUse) -> PlaylistLock? {
        while true {
            let descriptor = openFile(path)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { return nil }
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                flock(descriptor, LOCK_EX | LOCK_NB) == 0
            else {
                let isInUse = errno == EWOULDBLOCK && status.st_mode & S_IFMT == S_IFREG
                close(descriptor)
                guard !isInUse else { throw InUse() }
                return nil
            }
            if isFile(status, at: path) { return PlaylistLock(descriptor: descriptor, path: path) }
            close(descriptor)
        }
    }

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Deletes the file before it releases the lock. The order is important.
    deinit {
        var status = stat()
        if fstat(descriptor, &status) == 0, Self.isFile(status, at: path) { unlink(path) }
        close(descriptor)
    }

    /// Returns -1 and sets errno if the file cannot be opened; EEXIST if it was created meanwhile.
    private static func openFile(_ path: String) -> Int32 {
        let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        // A file of another user can be locked, too. The kernel does not open it with O_CREAT in a folder like /tmp
        // (protected_regular in proc_sys_fs(5)).
        var descriptor = open(path, O_RDWR | flags)
        if descriptor < 0, errno == EACCES { descriptor = open(path, O_RDONLY | flags) }
        guard descriptor < 0, errno == ENOENT else { return descriptor }
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | flags, 0o644)
        // Whatever the umask is: other users must be able to open it.
        if descriptor >= 0 { fchmod(descriptor, 0o644) }
        return descriptor
    }

    private static func isFile(_ status: stat, at path: String) -> Bool {
        var other = stat()
        return lstat(path, &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino
    }
}

extension PlaylistLock {
    /// The path of the lock for a playlist in a folder. It is in that folder, so that broadcasts of other users find
    /// it.
    package static func path(folder: String, playlist: String) -> String { "\(folder)/.\(playlist).lock" }

    /// The path of the lock for an address, in a folder of this user. The name is a hash, because the address can
    /// contain a key.
    ///
    /// - Parameter home: the home folder.
    /// - Returns: nil if there is no folder for it.
    package static func path(address: String, home: String?) -> String? {
        let hash = String(FNV1a.hash(address.utf8), radix: 16)
        return folder(home: home).map { "\($0)/broadcast-hls-\(hash).lock" }
    }

    /// The folder that the login manager creates for the user (pam_systemd(8)), else the standard state folder. An
    /// extension does not get the variables XDG_*.
    private static func folder(home: String?) -> String? {
        let runtime = "/run/user/\(geteuid())"
        if owner(of: runtime) == geteuid() { return runtime }
        // Root creates nothing in the home of another user.
        guard let home, owner(of: home) == geteuid() else { return nil }
        let folder = home + "/.local/state/broadcast"
        try? Folder.create(folder, mode: 0o700)
        return owner(of: folder) == geteuid() ? folder : nil
    }

    /// The owner of a folder; nil if there is no folder at `path`.
    private static func owner(of path: String) -> uid_t? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return status.st_uid
    }
}
