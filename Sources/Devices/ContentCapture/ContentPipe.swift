import Capture
import Glibc

/// Reads bytes from a file, a named pipe or standard input, with a time limit.
///
/// The descriptor is closed with this object, except for standard input. A named pipe without a writer is treated like
/// a pipe without data.
// @unchecked: only one thread at a time uses the object; ownership passes as a whole.
final class ContentPipe: @unchecked Sendable {
    enum Reading: Equatable {
        /// This number of bytes was read.
        case bytes(Int)
        /// No data arrived in time.
        case nothing
        case ended
    }

    let path: String
    private let descriptor: Int32
    private let ownsDescriptor: Bool

    /// - Parameter path: `-` for standard input.
    init(path: String) throws(CaptureError) {
        self.path = path
        if path == "-" {
            descriptor = STDIN_FILENO
            ownsDescriptor = false
        } else {
            descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            ownsDescriptor = true
            guard descriptor >= 0 else { throw .cannotRead(path: path, code: errno) }
        }
    }

    /// True for a file on a disk, which is complete; false if another program writes the data during the broadcast.
    var isRegularFile: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit {
        if ownsDescriptor { close(descriptor) }
    }

    /// Reads the available bytes, up to the length of `buffer`. Waits up to `timeout` milliseconds for data.
    func read(into buffer: UnsafeMutableRawBufferPointer, timeout: Int32) throws(CaptureError) -> Reading {
        guard !buffer.isEmpty else { return .bytes(0) }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&request, 1, timeout)
        if ready == 0 || (ready < 0 && errno == EINTR) { return .nothing }
        guard ready > 0 else { throw .cannotRead(path: path, code: errno) }
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { return .bytes(count) }
        if count == 0 { return .ended }
        if errno == EAGAIN || errno == EINTR { return .nothing }
        throw .cannotRead(path: path, code: errno)
    }

    /// Fills `buffer`. Calls `goesOn` regularly to check whether to continue. Returns false at the end of the content,
    /// or if `goesOn` returned false.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, while goesOn: () -> Bool) throws(CaptureError) -> Bool {
        var filled = 0
        while filled < buffer.count {
            switch try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), timeout: 100) {
            case .bytes(let count): filled += count
            case .nothing: if !goesOn() { return false }
            case .ended: return false
            }
        }
        return true
    }

    /// Reads the next `count` bytes like `fill`. Returns nil if they are not available.
    func bytes(_ count: Int, while goesOn: () -> Bool) throws(CaptureError) -> [UInt8]? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        return try fill(buffer, while: goesOn) ? Array(buffer) : nil
    }

    /// Reads a line and returns it without its newline. Returns nil at the end of the content, or if `goesOn` returned
    /// false.
    ///
    /// - Parameter limit: the maximum length in bytes. A longer line is an error.
    func line(limit: Int, while goesOn: () -> Bool) throws(CaptureError) -> [UInt8]? {
        var line: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
        defer { buffer.deallocate() }
        while line.count <= limit {
            guard try fill(buffer, while: goesOn) else { return nil }
            let byte = buffer[0]
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
        throw .malformedContent(path: path, .headerTooLong(limit: limit))
    }
}
