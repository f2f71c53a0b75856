import Capture
import Glibc

/// Reads the bytes of a file, a named pipe or standard input, in the time that it is given.
///
/// The descriptor is closed with it, standard input excepted. A named pipe without a writer is waited for, like one that gives nothing.
// @unchecked: one thread at a time uses it; it is handed on whole.
final class ContentPipe: @unchecked Sendable {
    enum Reading: Equatable {
        /// So many bytes were read.
        case bytes(Int)
        /// Nothing came in time.
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

    deinit {
        if ownsDescriptor { close(descriptor) }
    }

    /// Reads what is there, up to the length of `buffer`; waits for it up to `timeout` milliseconds.
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

    /// Fills `buffer`, asking `goesOn` every so often whether it is still wanted. False at the end of the content, or where it is not.
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

    /// The next `count` bytes, as `fill` takes them; nil where they do not come.
    func bytes(_ count: Int, while goesOn: () -> Bool) throws(CaptureError) -> [UInt8]? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        return try fill(buffer, while: goesOn) ? Array(buffer) : nil
    }

    /// The bytes of a line without its end; nil at the end of the content, or where it is not wanted any more.
    ///
    /// - Parameter limit: a longer line is an error.
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
