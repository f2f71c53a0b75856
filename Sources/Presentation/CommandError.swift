/// How a command ends: the exit statuses of DESIGN section 5, after sysexits(3).
package enum ExitStatus: Int32 {
    case success = 0
    /// Nothing to act on.
    case nothing = 1
    case usage = 64
    /// No such display, monitor, window, source, file or destination.
    case noInput = 66
    /// A service can't be reached or gave up.
    case unavailable = 69
    /// A fault of ours.
    case software = 70
    case cannotCreate = 73
    case ioError = 74
    /// The server broke its protocol.
    case protocolError = 76
    /// Not signed in, or refused.
    case notPermitted = 77
    /// The config or a manifest is wrong.
    case config = 78
}

/// Why a command failed: its exit status, and one sentence that says what failed, why, and what to do.
package struct CommandError: Error, Equatable {
    package var status: ExitStatus
    package var message: String

    /// True where the user has read the sentence already.
    package var isTold = false

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Nobody reads the answer any more: an end, and nothing to say.
    package static var quiet: CommandError { quiet(.success) }

    /// The status says everything.
    package static func quiet(_ status: ExitStatus) -> CommandError {
        var error = CommandError(status, "")
        error.isTold = true
        return error
    }
}
