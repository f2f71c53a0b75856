import Glibc

/// The canonical path of a file, so that two spellings of a path compare equal.
package enum CanonicalPath {
    /// The absolute path without links, `.` and `..`. The file need not exist.
    package static func of(_ path: String) -> String {
        of(path, links: 8)
    }

    /// - Parameter links: the number of dangling links that are followed.
    private static func of(_ path: String, links: Int) -> String {
        if let whole = resolved(path) { return whole }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let last = parts.last else { return path }
        let folder = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
        if links > 0, let target = link(path) {
            return of(target.hasPrefix("/") ? target : folder + "/" + target, links: links - 1)
        }
        return (resolved(folder.isEmpty ? "." : folder).map { $0 == "/" ? "" : $0 } ?? folder) + "/" + last
    }

    /// Returns nil if nothing exists there.
    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static func link(_ path: String) -> String? {
        let target = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { bytes in
                max(0, bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? 0)
            }
        }
        return target.isEmpty ? nil : String(decoding: target, as: UTF8.self)
    }
}
