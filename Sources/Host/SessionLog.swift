import FoundationEssentials
import Glibc
import Processes
import Synchronization
import UserConfiguration

/// What a session reported, with times, in the state folder: `broadcast logs` shows it. It holds nothing secret. A disk that hangs holds up nobody.
///
/// The newest lines are in the log's file, and older ones in a second file beside it. Together they have a limited size.
package final class SessionLog: Sendable {
    private let writer: BackgroundWriter?

    /// The size of each of the two files, in bytes.
    package static let standardLimit = 4 << 20

    /// The file with the older lines of the log at `path`.
    package static func olderPath(of path: String) -> String { path + ".old" }

    /// Begins the log again. Only the process that has the session's name may do that. A log that cannot be written is left out.
    ///
    /// - Parameters:
    ///   - path: nil if there is no log.
    ///   - takesStandardError: standard error of this process is in the same file, so it follows to a new one.
    package init(path: String?, limit: Int = standardLimit, takesStandardError: Bool = false) {
        guard let path else {
            writer = nil
            return
        }
        let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        unlink(Self.olderPath(of: path))
        guard let file = LogFile(path: path, limit: limit, takesStandardError: takesStandardError) else {
            writer = nil
            return
        }
        writer = BackgroundWriter(name: "log", write: file.write, atEnd: file.close)
    }

    /// Adds a line. Returns at once.
    package func write(_ text: String) {
        writer?.write("\(FileDate.iso8601(Date())) \(text)\n")
    }

    /// Waits for what is not written yet, but not for long.
    package func flush() {
        writer?.flush(within: .milliseconds(300))
    }
}

/// The file of a log. When it is full, it becomes the older one, and a new one begins.
private final class LogFile: Sendable {
    private struct State {
        var descriptor: Int32
        var length = 0
    }

    private let path: String
    private let limit: Int
    private let takesStandardError: Bool
    private let state: Mutex<State>

    /// Nil if the file cannot be created.
    init?(path: String, limit: Int, takesStandardError: Bool) {
        self.path = path
        self.limit = limit
        self.takesStandardError = takesStandardError
        let descriptor = Self.create(path, flags: O_TRUNC)
        guard descriptor >= 0 else { return nil }
        state = Mutex(State(descriptor: descriptor))
    }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.length > 0 && state.length + bytes.count > limit { begin(&state) }
            state.length += bytes.count
            // A full disk costs lines of the log, and nothing else.
            try? FileDescriptor.writeAll(bytes, to: state.descriptor)
        }
    }

    func close() {
        _ = state.withLock { Glibc.close($0.descriptor) }
    }

    private func begin(_ state: inout State) {
        guard rename(path, SessionLog.olderPath(of: path)) == 0 else { return }
        let descriptor = Self.create(path, flags: O_EXCL)
        guard descriptor >= 0 else { return }
        // Not closed before: descriptor 2 must never be another file.
        if takesStandardError { dup2(descriptor, STDERR_FILENO) }
        Glibc.close(state.descriptor)
        state = State(descriptor: descriptor)
    }

    private static func create(_ path: String, flags: Int32) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | flags, 0o600)
    }
}
