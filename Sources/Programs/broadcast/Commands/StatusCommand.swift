import ArgumentParser
import Control
import Glibc
import Host
import Presentation
import Terminal

/// `broadcast status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "status", abstract: "Show the running sessions.")

    @Option(
        help: ArgumentHelp(
            "One session; the exit status is 1 if it does not run. Default: all.", valueName: "name"))
    var session: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    @Flag(help: "Repeat once per second until no session runs.")
    var watch = false

    func run() async throws {
        let paths = CommandContext.paths
        let wanted = try session.map { text throws(CommandError) in try OptionValue.session(text, of: "--session") }
        var isFirst = true
        while true {
            let running = RunningSession.all(paths).filter { wanted == nil || $0.name == wanted }
            let answers = await RunningSession.ask(.status, running)
            let sessions = answers.compactMap { try? $0.get()?.session }
            if let wanted, isFirst, sessions.isEmpty, !answers.contains(where: { $0.failure != nil }) {
                throw CommandError.noSession(wanted, running: await RunningSession.names(paths))
            }
            // On a terminal, each report replaces the one before. In a pipe, the reports follow each other.
            if watch && !json && isatty(STDOUT_FILENO) != 0 { try Output.answer("\u{1b}[H\u{1b}[J", newline: false) }
            let silent = zip(running, answers).compactMap { session, answer in
                answer.failure.map { CommandError($0, session: session.name) }
            }
            try show(sessions, isFirst: isFirst, isAll: silent.isEmpty)
            for error in silent.dropLast(watch ? 0 : 1) { Output.note("broadcast: " + error.message) }
            guard watch else {
                if let last = silent.last { throw last }
                return
            }
            guard !(sessions.isEmpty && silent.isEmpty) else { return }
            isFirst = false
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// - Parameter isAll: true if every session answered.
    private func show(_ sessions: [SessionReport], isFirst: Bool, isAll: Bool) throws(CommandError) {
        if json {
            try Output.answer(ControlJSON.encode(StatusReport(sessions: sessions), pretty: !watch))
        } else if sessions.isEmpty {
            if isFirst && isAll { try Output.answer("Nothing is being broadcast.") }
        } else {
            for session in sessions { try Output.answer(StatusText.text(session)) }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
