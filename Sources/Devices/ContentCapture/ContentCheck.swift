import Capture
import Glibc

/// Checks content before a broadcast starts, so that a wrong path does not cause a live broadcast without sound.
package enum ContentCheck {
    /// Throws if the WAV file at `path` cannot be read. Standard input and pipes are not opened, because their writer
    /// may wait for the reader of the broadcast. Only the permission of a pipe is checked.
    package static func sound(path: String) throws(CaptureError) {
        guard path != "-" else { return }
        var status = stat()
        guard stat(path, &status) == 0, access(path, R_OK) == 0 else { throw .cannotRead(path: path, code: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: _ = try WAVHeader.read(from: try ContentPipe(path: path), while: { false })
        case S_IFDIR: throw .cannotRead(path: path, code: EISDIR)
        default: break
        }
    }
}
