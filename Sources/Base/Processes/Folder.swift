import Glibc

/// Folders of the file system.
package enum Folder {
    /// Creates the folder at `path`, an absolute path, and the missing folders above it. Existing folders keep their
    /// permissions.
    ///
    /// - Parameter mode: the permissions of the new folders (mkdir(2)).
    /// - Throws: the error of the first folder that cannot be created.
    package static func create(_ path: String, mode: mode_t) throws(SystemError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            guard mkdir(partial, mode) == 0 || errno == EEXIST || errno == EISDIR else { throw .last }
        }
    }

    /// The names in the folder, in no order, without `.` and `..`. None if it cannot be read.
    package static func entries(_ path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { start in
                start.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes the file, the link or the folder at `path`, with everything in it. Does not follow links. Does nothing
    /// if it does not exist.
    ///
    /// - Throws: the first error. What can be removed is removed also then.
    package static func remove(_ path: String) throws(SystemError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        let error = SystemError.last
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOTDIR || errno == ELOOP ? error : .last }
        defer { close(descriptor) }
        let failure = empty(path, descriptor)
        guard rmdir(path) != 0, errno != ENOENT else { return }
        throw failure ?? .last
    }

    /// Removes what is in an open folder. Does not follow links.
    ///
    /// - Returns: the first error. What can be removed is removed also then.
    @discardableResult package static func empty(_ path: String, _ descriptor: Int32) -> SystemError? {
        var failure: SystemError?
        for name in entries(path) {
            if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { continue }
            let error = SystemError.last
            let folder = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else {
                // Of a file, the reason is why it cannot be removed.
                failure = failure ?? (errno == ENOTDIR || errno == ELOOP ? error : .last)
                continue
            }
            let inner = empty(path + "/" + name, folder)
            close(folder)
            if unlinkat(descriptor, name, AT_REMOVEDIR) != 0, errno != ENOENT { failure = failure ?? inner ?? .last }
        }
        return failure
    }
}
