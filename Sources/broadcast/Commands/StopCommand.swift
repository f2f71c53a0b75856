import ArgumentParser
import Control

/// `broadcast stop`
struct StopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a broadcast, and wait until everything is written and closed.",
        discussion: "Prints each destination's result, a file's path among them. Ends with the first failure's status.")

    @Option(help: ArgumentHelp("The session's name.", valueName: "name"))
    var session = "default"

    @Flag(help: "Stop every session.")
    var all = false

    @Flag(help: "Answer in JSON.")
    var json = false

    func run() async throws {
        let paths = try CommandContext().paths
        let names = all ? paths.sessionNames() : [try OptionValue.session(session)]
        var ended: [SessionReport] = []
        for name in names {
            let reply = await ControlClient.ask(ControlRequest(command: "stop"), at: paths.socket(session: name))
            if let error = reply?.error { throw CommandError(.software, error.message) }
            if let report = reply?.session { ended.append(report) }
        }
        if json { Output.answer(ControlJSON.encode(StatusReport(sessions: ended), pretty: true)) }
        guard !ended.isEmpty else {
            throw CommandError(.nothing, all ? "No session is running." : "No session \"\(session)\" is running. See broadcast status.")
        }
        if !json { for report in ended { Self.show(report) } }
        if let failed = ended.flatMap(\.destinations).compactMap(\.error).first, let status = failed.status.flatMap(ExitStatus.init(rawValue:)) {
            throw CommandError(status, failed.message)
        }
    }

    private static func show(_ report: SessionReport) {
        for destination in report.destinations {
            let place = destination.path ?? destination.url ?? destination.name
            let result = destination.error.map { "failed. \($0.message)" } ?? "\(Int(report.elapsed)) s, \(StatusLine.size(destination.bytes))"
            Output.answer("\(place): \(result)")
        }
    }
}
