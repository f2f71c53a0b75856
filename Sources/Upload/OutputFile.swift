import Glibc
import Processes

/// The owner of a file or pipe that a recording is written to. Writes block.
struct OutputFile: ~Copyable {
    private let descriptor: FileDescriptor
    private var raw: Int32 { descriptor.raw }

    /// Writes to `raw`, which another owner closes.
    init(borrowing raw: Int32) {
        descriptor = FileDescriptor(borrowing: raw)
    }

    /// Makes the file anew at `path`, readable to its owner's umask.
    ///
    /// A named pipe that nobody reads from fails with ENXIO; one that somebody reads from stays non-blocking, which `write` waits for.
    init(creating path: String) throws(SystemError) {
        descriptor = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode: 0o666)
    }

    /// How often a reader that takes nothing is looked at once the task is cancelled, each time for 100 ms, before it is given up.
    private static let patience = 5

    /// Writes all of `bytes` at the end.
    ///
    /// A pipe that takes nothing, in a task that is cancelled, fails with ECANCELED.
    func write(_ bytes: [UInt8]) throws(SystemError) {
        var offset = 0
        var idle = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { Glibc.write(raw, $0.baseAddress! + offset, bytes.count - offset) }
            if written < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { throw .last }
                idle = Task.isCancelled ? idle + 1 : 0
                guard idle <= Self.patience else { throw SystemError(code: ECANCELED) }
                waitUntilWritable()
                continue
            }
            idle = 0
            offset += written
        }
    }

    /// Writes all of `bytes` over what stands at `position`.
    func write(_ bytes: [UInt8], at position: UInt64) throws(SystemError) {
        var offset = 0
        while offset < bytes.count {
            let written = bytes.withUnsafeBytes { pwrite(raw, $0.baseAddress! + offset, bytes.count - offset, Int(position) + offset) }
            if written < 0 {
                if errno == EINTR { continue }
                throw .last
            }
            offset += written
        }
    }

    /// Waits until what was written is on the disk; a pipe has none.
    func synchronize() {
        _ = fdatasync(raw)
    }

    /// Says to other programs that ask that this file is being written, until it is closed (flock(2)).
    func lock() {
        _ = flock(raw, LOCK_EX | LOCK_NB)
    }

    /// Cuts off what lies behind `size`: the rest of a write that failed half way.
    func truncate(to size: Int) {
        _ = ftruncate(raw, size)
    }

    var isSeekable: Bool { lseek(raw, 0, SEEK_CUR) >= 0 }

    /// A pipe that someone made non-blocking still has to take everything. Waits for 100 ms at most.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: raw, events: Int16(POLLOUT), revents: 0)
        _ = poll(&descriptor, 1, 100)
    }
}
