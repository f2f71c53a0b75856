import FoundationEssentials
import Glibc
import Synchronization

/// What a session said, with times, in the state folder: `broadcast logs` shows it. It holds nothing secret.
final class SessionLog: Sendable {
    private let file: Mutex<Int32>

    private let path: String?

    /// - Parameter path: nil where standard error is the log already.
    init(path: String?) {
        self.path = path
        file = Mutex(-1)
    }

    /// Begins the log anew: only for who has the session's name. A log that can't be written is done without.
    func begin() {
        guard let path else {
            // Standard error, which was opened for appending.
            _ = ftruncate(STDERR_FILENO, 0)
            return
        }
        let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        file.withLock { $0 = descriptor }
    }

    deinit {
        file.withLock { if $0 >= 0 { close($0) } }
    }

    func write(_ text: String) {
        let line = Array("\(FileDate.iso8601(Date())) \(text)\n".utf8)
        file.withLock { file in
            if file >= 0 { _ = line.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } }
        }
    }
}
