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
}
