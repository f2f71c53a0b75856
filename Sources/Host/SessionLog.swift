import FoundationEssentials
import Glibc
import Processes
import UserConfiguration

/// What a session reported, with times, in the state folder: `broadcast logs` shows it. It holds nothing secret. A disk that hangs holds up nobody.
final class SessionLog: Sendable {
    private let writer: BackgroundWriter?

    /// Begins the log again. Only the process that has the session's name may do that. A log that cannot be written is left out.
    ///
    /// - Parameter path: nil if there is no log.
    init(path: String?) {
        guard let path else {
            writer = nil
            return
        }
        let folder = path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        writer = descriptor < 0 ? nil : BackgroundWriter(descriptor: descriptor, ownsDescriptor: true, name: "log")
    }

    func write(_ text: String) {
        writer?.write("\(FileDate.iso8601(Date())) \(text)\n")
    }

    /// Waits for what is not written yet, but not for long.
    func flush() {
        writer?.flush(within: .milliseconds(300))
    }
}
