import Glibc

/// A file's one name among its many: two spellings of it are one file.
package enum CanonicalPath {
    /// The absolute path without links, `.` and `..`. The file need not be there.
    package static func of(_ path: String) -> String {
        of(path, links: 8)
    }

    /// - Parameter links: how many links that lead to nothing yet are followed.
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

    /// nil where nothing is there.
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
