import ArgumentParser
import Control
import Host
import Presentation
import Terminal

/// The option that names the session of a command.
struct SessionName: ParsableArguments {
    @Option(help: ArgumentHelp("The session's name.", valueName: "name"))
    var session = "default"

    /// Sends a request to the session and returns its answer.
    ///
    /// Throws status 1 if the session does not run or rejects the request, and 69 if it does not answer.
    func ask(_ request: ControlRequest) async throws(CommandError) -> ControlReply {
        let running = try running
        let answer: ControlReply?
        do throws(ControlClient.Failure) {
            answer = try await running.ask(request)
        } catch {
            throw CommandError(error, session: session)
        }
        guard let reply = answer else { throw await isNotRunning }
        if let error = reply.error { throw CommandError(error.status.flatMap(ExitStatus.init(rawValue:)) ?? .nothing, error.message) }
        return reply
    }

    /// The session, whether it runs or not.
    var running: RunningSession {
        get throws(CommandError) { RunningSession(name: try OptionValue.session(session), CommandContext.paths) }
    }

    /// Says which sessions do run.
    var isNotRunning: CommandError {
        get async { .noSession(session, running: await RunningSession.names(CommandContext.paths)) }
    }
}

/// `broadcast pause`
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a broadcast: viewers see a slate, recordings omit the pause.",
        discussion: "Prints paused once nothing of the screen is captured any more.")

    @OptionGroup var name: SessionName

    func run() async throws {
        _ = try await name.ask(ControlRequest(command: "pause"))
        try Output.answer("paused")
    }
}

/// `broadcast resume`
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Continue a paused broadcast.", discussion: "Prints live.")

    @OptionGroup var name: SessionName

    func run() async throws {
        _ = try await name.ask(ControlRequest(command: "resume"))
        try Output.answer("live")
    }
}

/// `broadcast mic`
struct MicCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mic", abstract: "Turn the microphone on or off while the broadcast runs.",
        discussion: "Prints on or off, the new state. While the microphone is off, nothing is recorded from it.")

    @Argument(help: ArgumentHelp("on, off or toggle.", valueName: "on|off|toggle"))
    var value: String

    @OptionGroup var name: SessionName

    func run() async throws {
        guard ["on", "off", "toggle"].contains(value) else { throw CommandError(.usage, "The microphone can be on, off or toggle, not \(value).") }
        let reply = try await name.ask(ControlRequest(command: "mic", value: value))
        try Output.answer(reply.microphone == true ? "on" : "off")
    }
}

/// `broadcast annotate`
struct AnnotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotate",
        abstract: "Send metadata to the destinations, such as an application, a scene or a score.")

    @Argument(help: ArgumentHelp("A metadata field as KEY=VALUE. Repeatable.", valueName: "key=value"))
    var values: [String]

    @OptionGroup var name: SessionName

    func run() async throws {
        var information: [String: String] = [:]
        for text in values {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw CommandError(.usage, "\(text) is not KEY=VALUE. Write it like game=chess.")
            }
            information[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        _ = try await name.ask(ControlRequest(command: "annotate", values: information))
    }
}

/// `broadcast events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print the events of a session as JSON, one per line, until it ends.")

    @OptionGroup var name: SessionName

    func run() async throws {
        for await line in try await events() {
            // An event has no error field at this level, so this line is the session's rejection of the request.
            if let error = ControlJSON.decode(ControlReply.self, from: line)?.error { throw CommandError(.unavailable, error.message) }
            try Output.answer(line)
        }
    }

    private func events() async throws(CommandError) -> ControlLines {
        let running = try name.running
        do throws(ControlClient.Failure) {
            if let lines = try await running.events() { return lines }
        } catch {
            throw CommandError(error, session: name.session)
        }
        throw await name.isNotRunning
    }
}
