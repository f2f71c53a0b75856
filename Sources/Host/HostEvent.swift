import Control
import Desktop
import Session
import Upload
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
    /// A request changed something that has no event of its own.
    case changed(SessionChange)
    case clip(SavedClip)
    /// About twice a second.
    case statistics(SessionSnapshot)
}

/// What a request changed.
package enum SessionChange: Sendable, Equatable {
    case microphone(isOn: Bool)
    case hidden(rule: String)
    case unhidden(rule: String)
    case annotated([String: String])
    case removed(destination: String)
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
    /// The error of a destination, with a sentence that does not repeat the destination's name.
    func report(_ error: UploadError, of destination: String) -> ErrorReport
    /// A sentence.
    func sentence(_ notice: HostNotice) -> String
    /// The line of the log; nil for what is not logged.
    func logLine(_ event: HostEvent, session: String) -> String?
    /// The lines of the log about the results.
    func logLines(_ outcome: HostOutcome) -> [String]
}
