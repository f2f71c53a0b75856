import FoundationEssentials
import Glibc
import Processes
import Synchronization
import UserConfiguration

/// The log of a session in the state folder: its events with their times, for `broadcast logs`. It contains no secrets.
/// A slow disk does not block the callers.
///
/// The newest lines are in the log's file, and older ones in a second file. Both have a limited size. Text that goes
/// to standard error is not counted.
package final class SessionLog: Sendable {
    private let writer: BackgroundWriter?

    /// The size of each of the two files, in bytes.
    package static let standardLimit = 4 << 20

    /// The file with the older lines of the log at `path`.
    package static func olderPath(of path: String) -> String { path + ".old" }

    /// Starts an empty log. Only the process that owns the session's name may do that. If the file cannot be written,
    /// there is no log.
    ///
    /// - Parameters:
    ///   - path: the file; nil for no log.
    ///   - takesStandardError: true if the standard error of this process goes to the same file. It is then redirected
    ///     to each new file.
    package init(path: String?, limit: Int = standardLimit, takesStandardError: Bool = false) {
        guard let path else {
            writer = nil
            return
        }
        let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        // Without the folder, the file cannot be created either.
        try? Paths.makeFolder(folder)
        guard FileCreation.isAllowed(path) else {
            writer = nil
            return
        }
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

    /// Waits until all lines are written, at most for `limit`. Returns false if lines remain.
    @discardableResult package func flush(within limit: Duration = .seconds(1)) -> Bool {
        writer?.flush(within: limit) ?? true
    }
}

/// The file of a log. When it is full, it is renamed to the older file, and a new one is created.
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
            // If the disk is full, lines of the log are lost.
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
        // Do not close descriptor 2 first, because another file could get its number.
        if takesStandardError { dup2(descriptor, STDERR_FILENO) }
        Glibc.close(state.descriptor)
        state = State(descriptor: descriptor)
    }

    private static func create(_ path: String, flags: Int32) -> Int32 {
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
    }
}
