import Control
import FoundationEssentials
import Session
import UserConfiguration

extension EventReport {
    /// Creates the report of an event of the session `session`, at the current time, as `broadcast events` prints it.
    /// Nil for an event that only the front end needs.
    ///
    /// - Parameters:
    ///   - phrases: the sentences for notices and destinations.
    ///   - report: makes the report of a session's figures.
    init?(_ event: HostEvent, session: String, phrases: any HostPhrases, report: (SessionSnapshot) -> SessionReport) {
        self.init(time: FileDate.iso8601(Date()), event: "", session: session)
        switch event {
        // For the user at the start: scripts read the source and the rules from the status.
        case .exposed, .started: return nil
        case .changed(let change):
            switch change {
            case .microphone(let isOn):
                self.event = "microphone"
                microphone = isOn
            case .hidden(let rule):
                self.event = "hide"
                self.rule = rule
            case .unhidden(let rule):
                self.event = "unhide"
                self.rule = rule
            // Other events say it.
            case .annotated, .removed: return nil
            }
        case .state(let state):
            self.event = "state"
            self.state = state.rawValue
        case .destination(let destination):
            self.event = "destination"
            self.destination = DestinationReport(destination, phrases: phrases)
        case .notice(let notice):
            self.event = "warning"
            message = phrases.sentence(notice)
        case .annotation(let values):
            self.event = "annotation"
            annotation = values
        case .clip(let clip):
            self.event = "clip"
            self.clip = ClipReport(clip)
        case .comment(let comment, let name):
            self.event = "comment"
            self.comment = CommentReport(destination: name, from: comment.name, text: comment.text)
        case .statistics(let snapshot):
            self.event = "statistics"
            statistics = report(snapshot)
        }
    }
}
