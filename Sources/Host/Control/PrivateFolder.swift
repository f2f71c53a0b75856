import Glibc

/// The folder of a control socket, which must belong to the user.
enum PrivateFolder {
    /// The folder that contains the file at `path`.
    static func containing(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// The owner of the folder at `path`; nil if `path` is not a folder. A link is not a folder.
    static func owner(of path: String) -> uid_t? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return status.st_uid
    }

    /// Creates the folder with access for this user only. Returns false if that is not possible, or if it belongs to
    /// another user. The folder above it must exist.
    static func make(_ path: String) -> Bool {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return false }
        return owner(of: path) == getuid() && chmod(path, 0o700) == 0
    }

    /// The user to which the session with the socket at `path` must belong, so that this process may send it requests;
    /// nil if the folder does not exist.
    ///
    /// It is this process's own user. The superuser also reaches the sessions of others, in a folder of theirs that a
    /// third user cannot have made.
    ///
    /// - Throws: `foreign` if the folder belongs to another user.
    static func trustedOwner(of path: String) throws(ControlClient.Failure) -> uid_t? {
        let folder = containing(path)
        guard let owner = owner(of: folder) else { return nil }
        guard owner == getuid() || (getuid() == 0 && Self.owner(of: containing(folder)) == owner) else {
            throw .foreign(owner: owner)
        }
        return owner
    }
}
