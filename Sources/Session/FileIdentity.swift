import Glibc

/// Which file a path leads to, however it is spelled; nil where there is none.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let inode: UInt64

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// True where both paths lead to one file, or are the same.
    static func areOne(_ left: String, _ right: String) -> Bool {
        guard left != right else { return true }
        guard let one = FileIdentity(left), let other = FileIdentity(right) else { return false }
        return one == other
    }
}
