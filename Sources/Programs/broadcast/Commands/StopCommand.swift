import ArgumentParser
import Control
import Host
import Presentation
import Terminal

/// `broadcast stop`
struct StopCommand: AsyncParsableCommand, NotifyingCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a broadcast, and wait until everything is written and closed.",
        discussion: """
            Prints the result of each destination, with the path of a file. The exit status is that of the first \
            failure. --all stops every session, even if one of them fails, and exits with the highest status. If a \
            session does not answer, its status is 69. A session that is still starting is stopped too; that is no failure.
            """)

    @OptionGroup var name: SessionName
    @OptionGroup var notice: NotifyOption

    @Flag(help: "Stop every session.")
    var all = false

    @Flag(help: "Answer in JSON.")
    var json = false

    func validate() throws {
        if all, let session = name.session {
            throw ValidationError("--all stops every session, and --session \"\(session)\" one. Omit one of them.")
        }
    }

    func run() async throws {
        let paths = CommandContext.paths
        let sessions = all ? RunningSession.all(paths) : [try await name.running]
        // Stop the sessions at the same time: each may need a while to finish writing.
        let answers = await RunningSession.ask(.stop, sessions)
        let ended = answers.compactMap { try? $0.get()?.session }
        if json { try Output.answer(ControlJSON.encode(StatusReport(sessions: ended), pretty: true)) }
        for session in ended where !json {
            // It was ending already.
            if let reason = session.endReason { Output.note(reason.printable) }
            for destination in session.destinations { try Output.answer(ResultLine.text(destination)) }
        }
        for session in ended where session.destinations.isEmpty { Output.note(ResultLine.endedEarly(session.session)) }
        let failures = zip(sessions, answers).compactMap { Self.failure($1, session: $0.name) }
        guard !failures.isEmpty || !ended.isEmpty else {
            throw CommandError.noSession(all ? nil : sessions.first?.name, running: await RunningSession.names(paths))
        }
        guard let worst = failures.max(by: { $0.status.rawValue < $1.status.rawValue }) else { return }
        for failure in failures where failure != worst { Output.note("broadcast: " + failure.message) }
        throw worst
    }

    /// The reason why a session did not stop cleanly: it rejected the request, did not answer, or a destination failed.
    private static func failure(_ answer: Result<ControlReply?, ControlClient.Failure>, session: String)
        -> CommandError?
    {
        switch answer {
        case .failure(let error): return CommandError(error, session: session)
        case .success(let reply):
            if let error = reply?.error {
                return CommandError(
                    error.status.flatMap(ExitStatus.init(rawValue:)) ?? .nothing, cleaned: error.message)
            }
            guard let failed = reply?.session?.destinations.first(where: { $0.error != nil }), let error = failed.error
            else { return nil }
            return error.status.flatMap(ExitStatus.init(rawValue:)).map {
                CommandError($0, cleaned: "\(failed.name): \(error.message)")
            }
        }
    }
}
