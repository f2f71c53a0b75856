import Credentials

/// The request of the parent of a background session, as one line of JSON.
///
/// It is not in the arguments of the child, because all users of the machine can read those.
package struct LaunchRequest: Codable, Sendable, Equatable {
    /// The arguments of the command, without the program's name.
    package var arguments: [String]
    /// The window that the user picked; nil if the user picked none.
    package var window: UInt?
    /// True if a user is there to answer a dialog of the desktop.
    package var isAttended: Bool
    package var secrets: HandedSecrets

    package init(
        arguments: [String], window: UInt? = nil, isAttended: Bool = false, secrets: HandedSecrets = HandedSecrets()
    ) {
        self.arguments = arguments
        self.window = window
        self.isAttended = isAttended
        self.secrets = secrets
    }
}

/// A report of the child, as one line of JSON. The child reports until its session is live or over.
package struct LaunchReport: Codable, Sendable, Equatable {
    /// A line for the user.
    package var line: String?
    /// The status line for a terminal.
    package var progress: String?
    /// 0 if every destination is live, otherwise the exit status. It is in the last report.
    package var status: Int32?
    /// The error's sentence.
    package var message: String?

    package init(line: String? = nil, progress: String? = nil, status: Int32? = nil, message: String? = nil) {
        self.line = line
        self.progress = progress
        self.status = status
        self.message = message
    }
}

/// Why a background session is not live.
package enum LaunchFailure: Error, Sendable, Equatable {
    /// The process cannot start, or the connection to it failed; errno.
    case cannotStart(code: Int32)
    /// `cancel` was called with this signal, and the child has ended.
    case cancelled(signal: Int32)
    /// The child ended without a last report.
    case ended
    /// The child reported an error, with its exit status and its sentence.
    case reported(status: Int32, message: String)
}
