import UserConfiguration

/// The exit statuses of commands, listed in docs/usage.md. They follow sysexits(3).
package enum ExitStatus: Int32 {
    case success = 0
    /// There is nothing to act on, the session rejected the request, or a session of that name runs already.
    case nothing = 1
    case usage = 64
    /// No such display, monitor, window, source, file or destination.
    case noInput = 66
    /// A service cannot be reached or ended the connection.
    case unavailable = 69
    /// An internal error of this program.
    case software = 70
    case cannotCreate = 73
    case ioError = 74
    /// The server violated its protocol.
    case protocolError = 76
    /// Not signed in, or access is denied.
    case notPermitted = 77
    /// The config or a manifest is invalid.
    case config = 78
    /// A signal ended the command: 128 and its number, as shells report it.
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// What each status means, in the order of their numbers.
    package static let meanings: [(status: ExitStatus, meaning: String)] = [
        (.success, "The command did what it was asked to do."),
        (.nothing, "There is nothing to act on, or the session rejected the request."),
        (.usage, "The command line is wrong."),
        (.noInput, "There is no such display, monitor, window, source, file or destination."),
        (.unavailable, "A server or a service cannot be reached, or the session does not answer."),
        (.software, "An internal error."),
        (.cannotCreate, "A file or folder cannot be created."),
        (.ioError, "A file cannot be read or written, for example because the disk is full."),
        (.protocolError, "The server violated its protocol."),
        (.notPermitted, "Not signed in, or the server rejected the key."),
        (.config, "The configuration or the manifest of an extension is wrong."),
        (.hungUp, "A closed terminal ended the command."), (.interrupted, "Ctrl-C ended the command."),
        (.terminated, "A signal ended the command."),
    ]

    /// True if the user caused it: by a signal, or by a request that cannot be met.
    package var isOfUser: Bool { [.nothing, .hungUp, .interrupted, .terminated].contains(self) }

    /// The status of a command that SIGHUP, SIGINT or SIGTERM ended.
    package static func ended(by signal: Int32) -> ExitStatus { ExitStatus(rawValue: 128 + signal) ?? .terminated }
}

/// Why a command failed: its exit status, and one sentence that says what failed, why, and what to do.
package struct CommandError: Error, Equatable {
    package var status: ExitStatus
    package var message: String

    /// True if the user has seen the message already.
    package var isTold = false

    /// - Parameter message: may repeat what the user typed. Secrets of addresses in it are removed.
    package init(_ status: ExitStatus, _ message: String) {
        self.init(status, cleaned: AddressSecret.cleaning(message.printable))
    }

    /// - Parameter message: a sentence without secrets, in which links stay: that of a session, or with words of a
    ///   server or an extension.
    package init(_ status: ExitStatus, cleaned message: String) {
        self.status = status
        // Names in the message can contain control characters.
        self.message = message.printable
    }

    /// The reader closed the pipe: exit silently with status 0.
    package static var quiet: CommandError { quiet(.success) }

    /// Exit silently with this status.
    package static func quiet(_ status: ExitStatus) -> CommandError {
        var error = CommandError(status, "")
        error.isTold = true
        return error
    }
}
