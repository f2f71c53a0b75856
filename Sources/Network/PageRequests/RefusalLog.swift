import Glibc
import NIOCore

/// Says who was refused: once for each reason, because guests whom
/// nobody wants can come often. Used on the event loop.
package final class RefusalLog {
    /// Its text continues "A guest at ADDRESS was refused: ".
    package enum Reason: String {
        case wrongSecret = "the secret of the address is missing or wrong"
        case foreignHost = "the request names another computer"
        case foreignSite = "a page of another site asked"
        case malformed = "that is no HTTP"
        case tooLong = "the request is too long"
        case tooSlow = "the request took too long"
        case tooMany = "too many connections are open"
        case wrongMessage = "no page sends such a message"
    }

    private var noted: Set<Reason> = []

    private let write: (String) -> Void

    /// - Parameter write: takes a line with its end. The standard one writes to standard error, which is the session's
    ///   log.
    package init(write: @escaping (String) -> Void = RefusalLog.writeToStandardError) {
        self.write = write
    }

    package func note(_ reason: Reason, from address: SocketAddress?) {
        guard noted.insert(reason).inserted else { return }
        let guest = address?.ipAddress ?? "an unknown address"
        write("A guest at \(guest) was refused: \(reason.rawValue). Others like this one are not logged.\n")
    }

    package static func writeToStandardError(_ line: String) {
        // If the log is closed, the line is lost.
        _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    }
}
