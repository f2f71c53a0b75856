import Glibc
import Processes

/// The folder of one broadcast's clips, which only the user can access.
///
/// It has a lock (flock(2)) that ends with the process. A folder without a lock is what a crashed broadcast left: it
/// holds pictures of the screen, and is deleted.
package final class ClipFolder {
    let path: String
    private let descriptor: Int32

    /// Deletes abandoned folders in `parent`, and creates a folder whose name begins with `name`.
    init(in parent: String, name: String) throws(UploadError) {
        do throws(SystemError) {
            try Folder.create(parent, mode: 0o700)
        } catch {
            throw .cannotCreate(path: parent, .system(code: error.code))
        }
        Self.removeAbandoned(in: parent)
        // Another process can take the new folder for an abandoned one before it is locked.
        for _ in 0..<10 {
            var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { break }
            let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard let descriptor = Self.lock(path) else { continue }
            if FileIdentity(of: descriptor) == FileIdentity(path) {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        throw .cannotCreate(path: parent, .system(code: errno))
    }

    deinit {
        rmdir(path)
        close(descriptor)
    }

    /// Deletes the folders in `parent` that no broadcast has locked, with everything in them. Without `parent`, it does
    /// nothing.
    package static func removeAbandoned(in parent: String) {
        for name in Folder.entries(parent) {
            let path = parent + "/" + name
            guard let descriptor = lock(path) else { continue }
            defer { close(descriptor) }
            Folder.empty(path, descriptor)
            rmdir(path)
        }
    }

    /// Opens the folder and locks it. Returns nil if another process has locked it, or if it is no folder.
    private static func lock(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }
}
