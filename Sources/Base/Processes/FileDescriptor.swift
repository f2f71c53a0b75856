import CLinux
import Glibc

/// The owner of an open descriptor. It closes the descriptor exactly once, when it is destroyed.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number of the descriptor. Valid while this value exists.
    package let raw: Int32
    private let closesAtEnd: Bool

    /// Takes ownership of `raw`.
    package init(owning raw: Int32) {
        self.raw = raw
        closesAtEnd = true
    }

    /// Uses `raw`, which another owner keeps open and closes.
    package init(borrowing raw: Int32) {
        self.raw = raw
        closesAtEnd = false
    }

    /// Opens `path`; O_CLOEXEC is added to `flags`.
    package init(path: String, flags: Int32, mode: mode_t = 0o600) throws(SystemError) {
        let descriptor = open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .last }
        self.init(owning: descriptor)
    }

    deinit {
        if closesAtEnd { close(raw) }
    }

    /// Returns true if both descriptors refer to the same file.
    package func isSameFile(as other: borrowing FileDescriptor) -> Bool {
        var ours = stat()
        var theirs = stat()
        return fstat(raw, &ours) == 0 && fstat(other.raw, &theirs) == 0 && ours.st_ino == theirs.st_ino
            && ours.st_dev == theirs.st_dev
    }

    /// Ends the ownership. The caller must close the result.
    package consuming func release() -> Int32 {
        let descriptor = raw
        discard self
        return descriptor
    }

    /// Writes all of `bytes`. Blocks while the descriptor blocks. Throws EAGAIN if the descriptor is non-blocking and
    /// full.
    package func writeAll(_ bytes: some Sequence<UInt8>) throws(SystemError) {
        try Self.writeAll(Array(bytes), to: raw)
    }

    /// Writes all of `bytes` to `descriptor`. Continues after a short write and after a signal.
    ///
    /// - Parameter waitsIfFull: true to wait if a non-blocking descriptor is full, instead of throwing EAGAIN.
    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32, waitsIfFull: Bool = false) throws(SystemError)
    {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeWithoutSignal(rest, to: descriptor)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN && waitsIfFull {
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&poller, 1, -1)
            } else if errno != EINTR {
                throw .last
            }
        }
    }

    /// Calls write(2). For a pipe without a reader, it fails with EPIPE but sends no SIGPIPE, which would end a program
    /// that does not ignore that signal.
    private static func writeWithoutSignal(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        var brokenPipe = sigset_t()
        var pending = sigset_t()
        var before = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let code = errno
        if count < bytes.count && sigismember(&pending, SIGPIPE) == 0 {
            // Remove the signal of this write, which is pending for this thread. A reader that closes the pipe after a
            // part was written also causes the signal, but not EPIPE.
            var none = timespec()
            _ = sigtimedwait(&brokenPipe, nil, &none)
        }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
    }

    /// Reads up to `count` bytes. Returns none at the end. Continues after a signal.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8] {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                result = Glibc.read(raw, buffer.baseAddress, count)
                filled = max(0, result)
            }
            if result >= 0 { return bytes }
            guard errno == EINTR else { throw .last }
        }
    }

    /// Reads to the end, or up to `limit` bytes.
    package func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let chunk = try read(upTo: min(4096, limit - bytes.count))
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        return bytes
    }

    /// Starts to write a part of the file to its disk, and does not wait for it. No effect on a pipe.
    package func startWriteback(from start: Int, count: Int) {
        clinux_start_writeback(raw, start, count)
    }

    /// Returns another descriptor of the same open file; nil if the system has none left.
    package func duplicate() -> FileDescriptor? {
        let copy = fcntl(raw, F_DUPFD_CLOEXEC, 0)
        return copy < 0 ? nil : FileDescriptor(owning: copy)
    }

    /// Makes reads and writes return EAGAIN instead of blocking. The flag belongs to the open file, so it also affects
    /// other processes that share it.
    package func setNonBlocking() {
        _ = fcntl(raw, F_SETFL, fcntl(raw, F_GETFL) | O_NONBLOCK)
    }

    /// Waits until the descriptor can be read or is at its end. Returns false after `milliseconds`. A negative number
    /// means no limit.
    package func waitUntilReadable(milliseconds: Int32) -> Bool {
        var poller = pollfd(fd: raw, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, milliseconds) > 0
    }
}

/// A connection between this process and another one: two sockets, close-on-exec from the start.
package struct SocketPair: ~Copyable, Sendable {
    private let ourEnd: FileDescriptor
    private var theirEnd: FileDescriptor?

    /// - Parameter keepsMessages: true for a connection of messages (`MessageSocket`), false for a stream of bytes.
    package init(keepsMessages: Bool = false) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        let type = keepsMessages ? SOCK_SEQPACKET : SOCK_STREAM
        guard socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { throw .last }
        ourEnd = FileDescriptor(owning: ends[0])
        theirEnd = .some(FileDescriptor(owning: ends[1]))
    }

    /// The descriptor of this process's end.
    package var ours: Int32 { ourEnd.raw }
    /// The descriptor of the other process's end; -1 after `closeTheirs`.
    package var theirs: Int32 {
        switch theirEnd {
        case .some(let end): end.raw
        case .none: -1
        }
    }

    /// Closes the other process's end in this process, so that `ours` reaches its end when that process has ended.
    package mutating func closeTheirs() { theirEnd = nil }
}

/// A pipe whose ends are close-on-exec from the start. It owns the ends that were not taken or closed.
package struct Pipe: ~Copyable, Sendable {
    private var readingEnd: FileDescriptor?
    private var writingEnd: FileDescriptor?

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { throw .last }
        readingEnd = .some(FileDescriptor(owning: ends[0]))
        writingEnd = .some(FileDescriptor(owning: ends[1]))
    }

    /// The descriptor of the reading end; -1 after it was closed or taken.
    package var reading: Int32 {
        switch readingEnd {
        case .some(let end): end.raw
        case .none: -1
        }
    }
    /// The descriptor of the writing end; -1 after it was closed or taken.
    package var writing: Int32 {
        switch writingEnd {
        case .some(let end): end.raw
        case .none: -1
        }
    }

    package mutating func closeReading() { readingEnd = nil }
    package mutating func closeWriting() { writingEnd = nil }

    /// Transfers the reading end to the caller. Returns nil if it was closed or taken.
    package mutating func takeReading() -> FileDescriptor? { readingEnd.take() }
    /// Transfers the writing end to the caller. Returns nil if it was closed or taken.
    package mutating func takeWriting() -> FileDescriptor? { writingEnd.take() }
}
