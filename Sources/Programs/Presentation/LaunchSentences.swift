import Glibc
import Host

extension CommandError {
    /// - Parameter log: the log of the session that did not start; nil if it has none.
    package init(_ failure: LaunchFailure, log: String?) {
        switch failure {
        case .cannotStart(let code):
            self.init(
                .software,
                "The background process cannot start: \(String(cString: strerror(code))). Try without --detach.")
        case .cancelled(let signal): self.init(.ended(by: signal), "The start was cancelled, so nothing is live.")
        case .ended:
            let next = log.map { "Read its log: \($0)" } ?? "Try without --detach."
            self.init(.software, "The broadcast ended before it was live. \(next)")
        case .reported(let status, let message): self.init(ExitStatus(rawValue: status) ?? .software, cleaned: message)
        }
    }
}

/// What `start --detach` writes beside the reports of the session.
package enum LaunchSentences {
    /// - Parameters:
    ///   - path: the file that cannot be written, or the folder that cannot be created.
    ///   - code: errno.
    package static func withoutLog(_ path: String, code: Int32) -> String {
        "The broadcast has no log: cannot write \(path): \(String(cString: strerror(code)))."
    }
}
