import Glibc
import HLS
import Processes

/// A local folder, which a web server serves.
package struct FolderStore: SegmentStore {
    /// An absolute path without a trailing slash.
    let folder: String

    package var name: String { "the folder \(folder)" }

    /// Creates the folder if it is missing. Throws if the folder is not writable, so that the extension does not report
    /// a live broadcast.
    ///
    /// - Parameters:
    ///   - createsParents: true to create the folders above it too.
    ///   - playlist: the name of the playlist. Throws if another file has it.
    package init(folder: String, createsParents: Bool = false, playlist: String? = nil) throws(StoreError) {
        self.folder = folder
        // The folder itself is created next, so an error is reported then.
        if createsParents { try? Folder.create(folder, mode: 0o755) }
        if mkdir(folder, 0o755) != 0 && errno != EEXIST {
            guard errno != ENOENT || createsParents else {
                throw .refused(
                    code: 404,
                    "cannot create the folder \(folder): the folder above it is missing. Create it, or end the path with /"
                )
            }
            throw Self.failure("create the folder \(folder)", errno)
        }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno == ENOTDIR {
            throw .refused(code: 404, "\(folder) is not a folder: choose another path")
        } else if errno != EACCES {
            throw Self.failure("open the folder \(folder)", errno)
        }
        // A folder can be writable without being readable, so only this check decides.
        guard access(folder, W_OK | X_OK) == 0 else { throw Self.failure("write to the folder \(folder)", errno) }
        if let playlist { try refuseForeign(.playlist, at: folder + "/" + playlist) }
    }

    /// Writes the object to a temporary file and renames it, so that a web server never reads a partial file.
    package func put(_ object: StoredObject) async throws(StoreError) {
        let path = folder + "/" + object.name
        try refuseForeign(object.kind, at: path)
        let temporary = "\(folder)/.\(object.name).part"
        try write(object.bytes, to: temporary)
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw Self.failure("write \(path)", code)
        }
    }

    package func playlist(named name: String) async -> String? {
        let descriptor = open(folder + "/" + name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        // An EVENT playlist of a day has about 3 MB.
        while bytes.count < 16 << 20 {
            let count = read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func delete(_ name: String) async throws(StoreError) {
        let path = folder + "/" + name
        if unlink(path) != 0 && errno != ENOENT { throw Self.failure("delete \(path)", errno) }
    }

    /// Throws if the file exists, unless it is an older playlist, which can be replaced. Any other file belongs to the
    /// user.
    private func refuseForeign(_ kind: StoredObject.Kind, at path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var start = [UInt8](repeating: 0, count: 7)
        let count = read(descriptor, &start, start.count)
        if kind == .playlist, count == 0 || start == Array("#EXTM3U".utf8) { return }
        throw .refused(
            code: 409, "\(path) exists and is not a playlist, so it is not overwritten. Choose another name or folder")
    }

    /// Replaces an existing file instead of writing to it: it is left from a broadcast that was killed, or it is an
    /// attack with a link.
    private func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        unlink(path)
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            do throws(SystemError) {
                try file.writeAll(bytes)
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            throw Self.failure("write \(path)", error.code)
        }
    }

    /// A full disk can become writable again (`unavailable`). A missing permission or a bad path is permanent
    /// (`refused`).
    private static func failure(_ action: String, _ code: Int32) -> StoreError {
        let reason = String(cString: strerror(code))
        switch code {
        case EACCES, EPERM, EROFS: return .refused(code: 403, "cannot \(action): \(reason)")
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG: return .refused(code: 404, "cannot \(action): \(reason)")
        default: return .unavailable("cannot \(action): \(reason)")
        }
    }
}
