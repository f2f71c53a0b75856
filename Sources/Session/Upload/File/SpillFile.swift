import Glibc
import Mux
import Processes
import Synchronization

/// A temporary file without a name, in the folder of a recording. Only this process can read it, and it ends with the
/// process. It is created with the first bytes.
package final class SpillFile: SpillStore {
    private struct State: ~Copyable {
        var file: FileDescriptor?
        var byteCount = 0
        var isRefused = false
    }

    private let folder: String
    private let state = Mutex(State())

    /// - Parameter path: the recording.
    package init(besides path: String) {
        folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/" : "./"
    }

    package func append(_ bytes: [UInt8]) -> Int? {
        state.withLock { state in
            if state.file == nil, !state.isRefused {
                // Not every file system has files without a name.
                if let file = try? FileDescriptor(path: folder, flags: O_RDWR | __O_TMPFILE | O_EXCL, mode: 0o600) {
                    state.file = .some(file)
                } else {
                    state.isRefused = true
                }
            }
            guard let raw = state.file?.raw else { return nil }
            let position = state.byteCount
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes { bytes in
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                    return pwrite(raw, rest.baseAddress, rest.count, position + offset)
                }
                if count < 0, errno == EINTR { continue }
                // The disk is full: keep them in memory.
                guard count > 0 else { return nil }
                offset += count
            }
            state.byteCount += bytes.count
            return position
        }
    }

    package func read(at position: Int, count: Int) -> [UInt8]? {
        state.withLock { state in
            guard let raw = state.file?.raw else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            var offset = 0
            while offset < count {
                let read = bytes.withUnsafeMutableBytes { bytes in
                    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[offset...])
                    return pread(raw, rest.baseAddress, rest.count, position + offset)
                }
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return nil }
                offset += read
            }
            return bytes
        }
    }
}
