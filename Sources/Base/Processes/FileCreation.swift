import Glibc

/// Which files this process may create.
package enum FileCreation {
    /// False if this is root and the folder of `path` belongs to another user, as with `sudo -E`: that user could not
    /// use the new file.
    package static func isAllowed(_ path: String) -> Bool {
        guard geteuid() == 0 else { return true }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        var status = stat()
        return stat(folder, &status) != 0 || status.st_uid == 0
    }
}
