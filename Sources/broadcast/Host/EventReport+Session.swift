import Control
import FoundationEssentials
import Session

extension EventReport {
    /// A session's event as followers get it.
    ///
    /// - Parameter report: the session as it is, for statistics.
    init(_ event: SessionEvent, session: String, report: () -> SessionReport?) {
        self.init(time: FileDate.iso8601(Date()), event: "", session: session)
        switch event {
        case .state(let state):
            self.event = "state"
            self.state = state.rawValue
        case .destination(let destination):
            self.event = "destination"
            self.destination = DestinationReport(destination)
        case .warning(let text):
            self.event = "warning"
            message = text
        case .annotation(let values):
            self.event = "annotation"
            annotation = values
        case .clip(let clip):
            self.event = "clip"
            self.clip = ClipReport(clip)
        case .statistics:
            self.event = "statistics"
            statistics = report()
        }
    }
}

extension ClipReport {
    init(_ clip: BroadcastSession.Clip) {
        self.init(path: clip.path, start: clip.start.seconds, duration: clip.duration.seconds)
    }
}
