import Glibc
import Processes

/// The lock on a playlist, so that no second broadcast of this machine writes it: an empty file that is locked
/// (flock(2)).
package enum PlaylistLock {
    /// Another process has the lock.
    package struct InUse: Error {}

    /// Locks the file at `path`, and creates it.
    ///
    /// - Returns: nil if no file can be locked there, which does not prevent a broadcast.
    /// - Throws: `InUse`, also if the other process belongs to another user.
    package static func acquire(_ path: String) throws(InUse) -> LockedFile? {
        do throws(LockedFile.Failure) {
            return try LockedFile(path: path, kind: .whole, users: .all)
        } catch {
            switch error {
            case .inUse: throw InUse()
            case .system: return nil
            }
        }
    }

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
