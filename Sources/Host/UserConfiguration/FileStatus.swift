import Glibc
import Upload

/// The parts of a path.
package enum URLName {
    /// The folder of a file: `.` for a plain name.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last part.
    package static func last(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}

/// The result of stat(2) for a path; nil if nothing exists there.
package struct FileStatus {
    package var isFolder: Bool
    package var isRegularFile: Bool
    package var size: Int

    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
    }
}

extension ContainerFormat {
    /// The ending of the file name.
    package var fileEnding: String { self == .mpegts ? "ts" : rawValue }
}
