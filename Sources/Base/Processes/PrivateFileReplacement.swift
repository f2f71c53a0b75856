import Glibc

extension FileDescriptor {
    /// Replaces the file at `path`, or creates it, with one that only its owner may read. The old content remains
    /// intact until the new one is complete, also if the machine fails meanwhile. Symbolic links are replaced, not
    /// followed.
    package static func replacePrivateFile(at path: String, with bytes: [UInt8]) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { path[...$0] } ?? ""
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let temporary = "\(folder).\(name).\(getpid())"
        unlink(temporary)
        do throws(SystemError) {
            let file = try FileDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            try file.writeAll(bytes)
            guard fsync(file.raw) == 0, rename(temporary, path) == 0 else { throw .last }
        } catch {
            unlink(temporary)
            throw error
        }
    }
}
