import Glibc
import Launch

extension CommandError {
    /// - Parameter log: the log of the session that did not start.
    package init(_ failure: LaunchFailure, log: String) {
        switch failure {
        case .cannotStart(let code):
            self.init(.software, "The background process cannot start: \(String(cString: strerror(code))). Try without --detach.")
        case .cancelled(let signal): self.init(.ended(by: signal), "The start was cancelled, so nothing is live.")
        case .ended: self.init(.software, "The broadcast ended before it was live. Read its log: \(log)")
        case .reported(let status, let message): self.init(ExitStatus(rawValue: status) ?? .software, message)
        }
    }
}
