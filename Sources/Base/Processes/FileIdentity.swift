import Glibc

/// The identity of a file (stat(2)). Two paths of the same file have equal identities, and a later file at the same
/// path has another one.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil if there is no file at `path`. This can block as long as a disk does not answer.
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file that has that path itself: a link is not followed. Nil if there is none.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file of an open descriptor; nil if the descriptor is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
