import Control
import Desktop
import Session
import Upload
import UserConfiguration

/// An event of a hosted session for its front end.
package enum HostEvent: Sendable {
    /// The source is open and the desktop has answered. Nothing has been sent yet.
    case exposed(Exposure)
    case state(SessionState)
    /// Each destination is live or over.
    case started
    case destination(DestinationSnapshot)
    case notice(HostNotice)
    case annotation([String: String])
    /// A request changed the session.
    case changed(SessionChange)
    case clip(SavedClip)
    /// A viewer wrote something. The log does not contain it.
    case comment(ViewerComment, destination: String)
    /// The figures changed. Sent about twice a second.
    case statistics(SessionSnapshot)
}

/// A change by a request.
package enum SessionChange: Sendable, Equatable {
    case microphone(isOn: Bool)
    case hidden(rule: String)
    case unhidden(rule: String)
    case annotated([String: String])
    case removed(destination: String)
}

/// A notice for the user. The session continues.
package enum HostNotice: Sendable, Equatable {
    case session(SessionNotice)
    case resolver(ResolverNotice)
    case desktop(DesktopWarning)
}

/// The sentences of a front end for replies on the control socket, for events and for the log.
package protocol HostPhrases: Sendable {
    /// Returns the error with its sentence and its exit status.
    func report(_ error: HostError) -> ErrorReport
    /// Returns the error of a destination, with a sentence that does not repeat the destination's name.
    /// - Parameter isRetried: true if the destination is tried again, so that the user has nothing to start.
    func report(_ error: UploadError, of destination: String, isRetried: Bool) -> ErrorReport
    /// Returns the sentence of a notice.
    func sentence(_ notice: HostNotice) -> String
    /// Returns the line of the log for an event; nil if it is not logged.
    func logLine(_ event: HostEvent, session: String) -> String?
    /// Returns the lines of the log about the results.
    func logLines(_ outcome: HostOutcome) -> [String]
}
