import Control
import Desktop
import Session
import UserConfiguration

/// What a hosted session reports to its front end.
package enum HostEvent: Sendable {
    /// The source is open, the desktop has answered, and nothing was sent yet: what viewers will see.
    case exposed(Exposure)
    case state(SessionState)
    /// Every destination is live or over.
    case started
    case destination(SessionSnapshot.Destination)
    case notice(HostNotice)
    case annotation([String: String])
    case clip(SavedClip)
    /// About twice a second.
    case statistics(SessionSnapshot)
}

/// Something that the user should know and that ends nothing.
package enum HostNotice: Sendable, Equatable {
    case session(SessionNotice)
    case resolver(ResolverNotice)
    case desktop(DesktopWarning)
}

/// The sentences of a front end: for the replies on the control socket, for events and for the log.
package protocol HostPhrases: Sendable {
    /// The error with its sentence, and the exit status that it alone would give.
    func report(_ error: HostError) -> ErrorReport
    /// A sentence.
    func sentence(_ notice: HostNotice) -> String
    /// The line of the log; nil for what is not logged.
    func logLine(_ event: HostEvent, session: String) -> String?
}
