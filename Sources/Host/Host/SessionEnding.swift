import FoundationEssentials
import Glibc
import Processes
import UserConfiguration

/// Why a session in the background ended by itself. The next command says it, once.
package struct SessionEnding: Sendable, Equatable {
    package let session: String
    /// When it ended, as local time `HH:MM`, and why, in sentences.
    package let time: String
    package let reason: String

    /// Stores it. A disk that takes no file has only the log.
    package static func record(_ reason: String, of session: String, at date: Date, _ paths: Paths) {
        let text = FileDate.time(date) + "\n" + reason
        try? FileDescriptor.replacePrivateFile(at: paths.ending(session: session), with: Array(text.utf8))
    }

    /// Returns what is stored, in the order of the names, and deletes it. What is older than a day is only deleted.
    package static func takeAll(at date: Date, _ paths: Paths) -> [SessionEnding] {
        paths.endedNames().sorted().compactMap { session in
            let path = paths.ending(session: session)
            defer { unlink(path) }
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 1 << 16,
                date.timeIntervalSince1970 - Double(status.st_mtim.tv_sec) < 86_400,
                let text = try? String(contentsOfFile: path, encoding: .utf8),
                let end = text.firstIndex(of: "\n")
            else { return nil }
            return SessionEnding(
                session: session, time: String(text[..<end]), reason: String(text[text.index(after: end)...]))
        }
    }
}
