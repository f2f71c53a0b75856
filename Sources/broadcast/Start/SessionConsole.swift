import Host
import Presentation
import Session

/// The output of a session in the foreground: a line for each event and, on a terminal, a status line that is updated.
///
/// It passes text to `Output.errors`, so a blocked terminal (Ctrl-S, a stalled ssh) never blocks the session.
struct SessionConsole {
    let session: String
    private let isTerminal = Output.isTerminal
    /// The destinations whose failure was already shown.
    private var told: Set<String> = []

    private let showsNotice: Bool
    /// True once the line about what is visible has been shown.
    private var isExposed = false

    /// - Parameter showsNotice: report at the start what viewers will see.
    init(session: String, showsNotice: Bool) {
        self.session = session
        self.showsNotice = showsNotice
    }

    /// Shows an event.
    mutating func show(_ event: HostEvent, _ snapshot: SessionSnapshot?) {
        switch event {
        case .exposed(let exposure):
            isExposed = true
            if showsNotice { say(exposure.sentence) }
        // The line about what is visible contains it.
        case .notice(.desktop) where showsNotice && !isExposed: break
        case .state where isTerminal: break
        case .destination(let destination) where destination.state == .failed:
            let all = snapshot?.destinations ?? []
            // The user removed it.
            guard all.contains(where: { $0.name == destination.name }) else {
                say("\(destination.name): removed.")
                break
            }
            // Without other destinations the session ends; the command reports why once the session's name is free.
            guard all.contains(where: { !$0.state.isOver }), told.insert(destination.name).inserted else { break }
            if let line = ConsoleLine(event, session: session) { say(line.text) }
        default: if let line = ConsoleLine(event, session: session) { say(line.text) }
        }
        guard isTerminal, let snapshot, !snapshot.state.isOver else { return }
        Output.errors.setStatus("\r\u{1b}[K" + StatusLine.text(snapshot).prefix(Output.width - 1))
    }

    /// Shows a line above the status line.
    func say(_ text: String) {
        Output.errors.write((isTerminal ? "\r\u{1b}[K" : "") + text + "\n")
    }

    /// Shows the result of each destination, and the failures that were not shown yet.
    ///
    /// - Returns: the failure for the command's exit status: that of the session, otherwise of the first destination.
    func showResults(_ outcome: HostOutcome) -> CommandError? {
        Output.errors.setStatus(nil)
        if isTerminal { Output.errors.write("\r\u{1b}[K") }
        for destination in outcome.snapshot.destinations where destination.state == .finished {
            let place = destination.path ?? destination.url ?? destination.name
            // A named pipe without a reader.
            guard destination.path == nil || destination.byteCount > 0 else {
                say("\(place): nothing was written.")
                continue
            }
            let dropped = destination.dropped > 0 ? ", \(destination.dropped) frames dropped" : ""
            say("\(place): \(StatusLine.clock(outcome.snapshot.elapsed)), \(StatusLine.size(destination.byteCount))\(dropped)")
        }
        var failure = outcome.failure.map { CommandError($0) }
        for destination in outcome.snapshot.destinations {
            guard let error = destination.error.map({ CommandError($0, destination: destination.name) }) else { continue }
            if failure == nil {
                failure = error
            } else if !told.contains(destination.name) {
                say("\(destination.name): failed. \(error.message)")
            }
        }
        return failure
    }
}
