import Host
import Presentation
import Session

/// The place where a session shows what happens.
///
/// Output to it never blocks the session, even if the terminal is blocked (Ctrl-S, a stalled ssh) or the parent is
/// stopped.
package enum ConsoleOutput {
    /// Standard error.
    case errors(isTerminal: Bool, colours: StatusColours = .none)
    /// The parent of a detached session, until the session is live. After that, only the log has it.
    case parent(LaunchedSession)

    /// The rows of a terminal that a QR code leaves free: for the line with the address, and the status.
    private static let otherRows = 4

    /// Shows a line above the status line.
    package func say(_ text: String) {
        switch self {
        case .errors(let isTerminal, _): Output.errors.write((isTerminal ? "\r\u{1b}[K" : "") + text + "\n")
        case .parent(let parent): parent.say(text)
        }
    }

    /// True if the output is a terminal of this process, and not the parent of a detached session.
    package var isTerminal: Bool {
        if case .errors(let isTerminal, _) = self { isTerminal } else { false }
    }

    /// True if there is a status line.
    package var hasStatus: Bool {
        switch self {
        case .errors(let isTerminal, _): isTerminal
        case .parent(let parent): !parent.isOver
        }
    }

    /// Shows the status line.
    ///
    /// - Parameter keys: what the terminal's keys do. Those for which the terminal is too narrow are left out.
    func show(_ snapshot: SessionSnapshot, keys: SessionConsole.Keys? = nil) {
        var status = StatusLine.text(snapshot)
        switch self {
        case .errors(_, let colours):
            let room = Output.width - 1 - status.count - 2
            if let keys, let text = StatusLine.keys(for: snapshot, savesClips: keys.savesClips, columns: room) {
                status += "  " + text
            }
            let line = colours.apply(to: String(status.prefix(Output.width - 1)))
            Output.errors.setStatus("\r\u{1b}[K" + line)
        case .parent(let parent): parent.show(progress: status)
        }
    }

    /// Shows a QR code of an address, if the terminal has colours and room for it.
    func show(code address: String) {
        guard case .errors(isTerminal: true, let colours) = self, colours.hasColours else { return }
        let size = Output.size
        let code = QRCode(address)?.lines(
            columns: size.columns, rows: size.rows - Self.otherRows, hasUnicode: colours.hasUnicode)
        for line in code ?? [] { say(line) }
    }

    /// Removes the status line.
    package func endStatus() {
        guard case .errors(let isTerminal, _) = self else { return }
        Output.errors.setStatus(nil)
        if isTerminal { Output.errors.write("\r\u{1b}[K") }
    }
}

/// The output of a session: a line for each event and, on a terminal, a status line that is updated.
package struct SessionConsole {
    let session: String
    private let output: ConsoleOutput
    /// The destinations whose failure was already shown.
    private var told: Set<String> = []

    private let showsNotice: Bool
    /// True if only problems are shown.
    private let isQuiet: Bool
    /// True after the line about the visible part of the desktop was shown.
    private var isExposed = false
    /// That line until it is shown: a start that fails at once shows nothing to anybody.
    private var announcement: String?
    /// Notices that follow that line.
    private var held: [String] = []
    /// What the terminal's keys do; nil if it takes none.
    private var keys: Keys?

    /// The keys of a session.
    package struct Keys: Sendable {
        /// True if the session keeps clips.
        var savesClips: Bool

        package init(savesClips: Bool) {
            self.savesClips = savesClips
        }
    }

    /// - Parameters:
    ///   - showsNotice: report at the start what viewers will see.
    ///   - isQuiet: show only problems.
    package init(session: String, showsNotice: Bool, isQuiet: Bool = false, output: ConsoleOutput) {
        self.session = session
        self.showsNotice = showsNotice && !isQuiet
        self.isQuiet = isQuiet
        self.output = output
    }

    /// Offers the keys from now on. Call it before the event is shown for which `isStarting` is true: the line about
    /// that event names them.
    package mutating func offer(_ keys: Keys) {
        self.keys = keys
    }

    /// Shows an event.
    package mutating func show(_ event: HostEvent, _ snapshot: SessionSnapshot?) {
        if let announcement, Self.isStarting(event, snapshot) {
            output.say([announcement, hint].compactMap(\.self).joined(separator: " "))
            self.announcement = nil
            sayHeld()
        }
        switch event {
        case .exposed(let exposure):
            isExposed = true
            if showsNotice {
                announcement = exposure.sentence
            }
        // The line about the visible part of the desktop contains it.
        case .notice(.desktop) where showsNotice && !isExposed: break
        case .state where output.hasStatus: break
        // The log has what extensions write to standard error.
        case .notice(.session(.destination(_, .extensionSaid))), .notice(.session(.destination(_, .extensionLogFlood))):
            break
        // The command that requested the change reports it.
        case .changed: break
        case .destination(let destination) where destination.state == .failed:
            let all = snapshot?.destinations ?? []
            if destination.isEndRequested && !all.contains(where: { $0.name == destination.name }) {
                if !isQuiet { output.say("\(destination.name): removed.") }
                break
            }
            // Without other destinations the session ends; the command reports why once the session's name is free.
            guard all.contains(where: { !$0.state.isOver }), told.insert(destination.name).inserted else { break }
            say(event)
        // A service's address is a link to click; one in this network has to reach a phone.
        case .destination(let destination)
        where destination.state == .live && destination.previousState != .paused
            && destination.watchURL?.hasPrefix("http://") == true:
            if !isQuiet { output.show(code: destination.watchURL ?? "") }
            say(event)
        case .notice where announcement != nil:
            if let line = ConsoleLine(event, session: session) { held.append(line.text) }
        default: say(event)
        }
        guard !isQuiet, output.hasStatus, let snapshot, !snapshot.state.isOver else { return }
        // The program that reads standard output may write to the same terminal.
        guard !snapshot.destinations.contains(where: { $0.kind == .stdout }) else { return }
        // In the background, another program has the keys.
        output.show(snapshot, keys: SessionKeys.isForeground ? keys : nil)
    }

    /// How the user ends the session, and what else the keys do; nil if there is no terminal.
    private var hint: String? {
        guard output.isTerminal else { return nil }
        return keys.map { StatusLine.keySentence(savesClips: $0.savesClips) } ?? "Press Ctrl-C to stop."
    }

    private func say(_ event: HostEvent) {
        guard let line = ConsoleLine(event, session: session), !isQuiet || line.isProblem else { return }
        output.say(line.text)
    }

    /// Returns true if a destination is live, or tries to become that for a while.
    package static func isStarting(_ event: HostEvent, _ snapshot: SessionSnapshot?) -> Bool {
        guard let snapshot, !snapshot.state.isOver, snapshot.destinations.contains(where: { !$0.state.isOver }) else {
            return false
        }
        switch event {
        case .destination(let destination): return ![.connecting, .failed].contains(destination.state)
        case .state(let state): return state == .live
        case .exposed, .notice: return false
        default: return true
        }
    }

    /// Removes the line of status from the terminal, and shows the notices that were held. No more events may follow.
    package mutating func end() {
        output.endStatus()
        sayHeld()
    }

    private mutating func sayHeld() {
        for line in held { output.say(line) }
        held = []
    }

    /// Shows the result of each destination, and the failures that were not shown yet.
    ///
    /// - Returns: the failure for the command's exit status: that of the session, otherwise of the first destination.
    package func showResults(_ outcome: HostOutcome) -> CommandError? {
        output.endStatus()
        for destination in outcome.snapshot.destinations where destination.error == nil && !isQuiet {
            output.say(ResultLine.text(destination))
        }
        var failure = outcome.failure.map { CommandError($0) }
        for destination in outcome.snapshot.destinations {
            guard let error = destination.error else { continue }
            if failure == nil {
                failure = CommandError(error, destination: destination.name, isRetried: destination.isRetried)
            } else if !told.contains(destination.name) {
                output.say(ResultLine.text(destination))
            }
        }
        return failure
    }
}
