import Concurrency
import Glibc
import Processes

/// Owns the descriptor of a file or pipe that a recording is written to. Writes block.
struct OutputFile: ~Copyable {
    private let descriptor: FileDescriptor
    private var raw: Int32 { descriptor.raw }

    /// Writes to `raw`, which another object closes.
    init(borrowing raw: Int32) {
        descriptor = FileDescriptor(borrowing: raw)
    }

    /// Creates a new file at `path` that only the user can read, because it can show anything on the user's screen. An
    /// existing file loses its content and keeps its permissions.
    ///
    /// Throws ENXIO for a named pipe without a reader. A named pipe with a reader stays non-blocking; `write` waits for
    /// it.
    init(creating path: String) throws(SystemError) {
        try self.init(openingOrCreating: path)
        truncate(to: 0)
    }

    /// Opens the file at `path` and keeps its content, or creates a new one. Otherwise like `init(creating:)`.
    init(openingOrCreating path: String) throws(SystemError) {
        // A terminal must not become the controlling terminal of a background process.
        descriptor = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    }

    /// Opens an existing file only to lock it.
    init(reading path: String) throws(SystemError) {
        descriptor = try FileDescriptor(path: path, flags: O_RDONLY | O_NOFOLLOW)
    }

    /// The number of times, 100 ms each, that a write waits for a blocked reader after the task is cancelled.
    private static let waitsAfterCancellation = 5

    /// The maximum size of one write in bytes.
    private static let partSize = 1 << 18

    /// Appends all of `bytes`, in parts, so that a slow disk shows that it goes on.
    ///
    /// Throws ECANCELED if the task is cancelled and the pipe accepts no data.
    ///
    /// - Parameter progressed: called with the number of bytes of each part that was written.
    func write(_ bytes: [UInt8], progressed: (Int) -> Void = { _ in }) throws(SystemError) {
        var offset = 0
        var idle = 0
        while offset < bytes.count {
            let end = min(offset + Self.partSize, bytes.count)
            let written = bytes.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                return Glibc.write(raw, part.baseAddress, part.count)
            }
            if written < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw .last }
                idle = Task.isCancelled ? idle + 1 : 0
                guard idle <= Self.waitsAfterCancellation else { throw SystemError(code: ECANCELED) }
                waitUntilWritable()
                continue
            }
            idle = 0
            offset += written
            progressed(written)
        }
    }

    /// Writes all of `bytes` at `position`, over the existing data.
    func write(_ bytes: [UInt8], at position: UInt64) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                return pwrite(raw, rest.baseAddress, rest.count, Int(position) + offset)
            }
            if written < 0 {
                if errno == EINTR { continue }
                throw .last
            }
            offset += written
        }
    }

    /// Starts to write a part of the file to its disk, so that little is left to write at the end.
    func startWriteback(from start: Int, count: Int) {
        descriptor.startWriteback(from: start, count: count)
    }

    /// Returns a thread that ends when the data is on the disk. A slow disk can need minutes, in which the thread
    /// cannot be ended.
    func beginSynchronization() -> NamedThread? {
        guard let copy = descriptor.duplicate()?.release() else { return nil }
        return NamedThread(name: "synchronize") {
            let file = FileDescriptor(owning: copy)
            _ = fdatasync(file.raw)
        }
    }

    /// Locks the file until it is closed (flock(2)), so that other programs can see that it is being written. Returns
    /// false if another writer holds the lock. A device is not locked, and a file system without locks is no obstacle.
    func lock() -> Bool {
        guard status.st_mode & S_IFMT != S_IFCHR else { return true }
        return flock(raw, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    /// True if the file has no content. A pipe or a device never has any.
    var isEmpty: Bool { status.st_mode & S_IFMT != S_IFREG || status.st_size == 0 }

    var isTerminal: Bool { isatty(raw) != 0 }

    /// False for a pipe and a device.
    var isOrdinary: Bool { status.st_mode & S_IFMT == S_IFREG }

    /// The bytes that this user may still write to its disk; nil if the system does not say it.
    var freeSpace: Int? {
        var system = statvfs()
        guard isOrdinary, fstatvfs(raw, &system) == 0 else { return nil }
        let (bytes, isTooLarge) = Int(clamping: system.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: system.f_frsize))
        return isTooLarge ? nil : bytes
    }

    /// True if `path` leads to this file: no other program moved or replaced it.
    func isStill(at path: String) -> Bool {
        FileIdentity(path) == FileIdentity(of: raw)
    }

    private var status: stat {
        var status = stat()
        _ = fstat(raw, &status)
        return status
    }

    /// Truncates the file to `size`, which removes a partial write.
    func truncate(to size: Int) {
        _ = ftruncate(raw, size)
    }

    var isSeekable: Bool { lseek(raw, 0, SEEK_CUR) >= 0 }

    /// A caller may have made the pipe non-blocking, so wait until it accepts data, for at most 100 ms.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, 100)
    }
}
