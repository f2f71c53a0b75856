import ArgumentParser
import Control
import Host
import Presentation
import Terminal
import UserConfiguration

/// The option that names the running session of a command.
struct SessionName: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The session's name. Default: BROADCAST_SESSION of the environment, or the only session that runs; if several run, the one named default, or none.",
            valueName: "name"))
    var session: String?

    /// Sends a request to the session and returns its answer.
    ///
    /// Throws status 1 if the session does not run or rejects the request, and 69 if it does not answer.
    func ask(_ request: ControlRequest) async throws(CommandError) -> ControlReply {
        let running = try await running
        let answer: ControlReply?
        do throws(ControlClient.Failure) {
            answer = try await running.ask(request)
        } catch {
            throw CommandError(error, session: running.name)
        }
        guard let reply = answer else { throw await Self.isNotRunning(running.name) }
        if let error = reply.error {
            throw CommandError(error.status.flatMap(ExitStatus.init(rawValue:)) ?? .nothing, cleaned: error.message)
        }
        return reply
    }

    /// The session of the command, whether it runs or not.
    var running: RunningSession {
        get async throws(CommandError) { try await Self.running(session) }
    }

    /// Returns the session that the option or the environment names, whether it runs or not. Without a name, returns
    /// the session that runs.
    ///
    /// Throws status 1 if several sessions run and none is named.
    static func running(_ option: String?) async throws(CommandError) -> RunningSession {
        let paths = CommandContext.paths
        if let name = try chosen(option) { return RunningSession(name: name, paths) }
        do throws(RunningSession.Ambiguity) {
            return try await RunningSession.unnamed(paths)
        } catch {
            throw CommandError(error)
        }
    }

    /// Says which sessions do run.
    static func isNotRunning(_ name: String) async -> CommandError {
        .noSession(name, running: await RunningSession.names(CommandContext.paths))
    }

    /// The name of a session to start.
    static func new(_ option: String?) throws(CommandError) -> String {
        try chosen(option) ?? SessionNaming.standard
    }

    /// The name from the option, or else from the environment; nil without both.
    private static func chosen(_ option: String?) throws(CommandError) -> String? {
        if let option { return try OptionValue.session(option, of: "--session") }
        return try CommandContext.sessionName.map { name throws(CommandError) in
            try OptionValue.session(name, of: "BROADCAST_SESSION")
        }
    }
}

/// `broadcast pause`
struct PauseCommand: AsyncParsableCommand, NotifyingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a broadcast: viewers see a slate, recordings omit the pause.",
        discussion: "Prints paused once nothing of the screen is captured any more, and live after a resume.")

    @Flag(help: "Resume the broadcast if it is paused: for a key that does both.")
    var toggle = false

    @OptionGroup var name: SessionName
    @OptionGroup var notice: NotifyOption

    func run() async throws {
        if toggle, try await name.ask(.status).session?.state == "paused" {
            _ = try await name.ask(.resume)
            return try Output.answer("live")
        }
        _ = try await name.ask(.pause)
        try Output.answer("paused")
    }
}

/// `broadcast resume`
struct ResumeCommand: AsyncParsableCommand, NotifyingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Continue a paused broadcast.", discussion: "Prints live.")

    @OptionGroup var name: SessionName
    @OptionGroup var notice: NotifyOption

    func run() async throws {
        _ = try await name.ask(.resume)
        try Output.answer("live")
    }
}

/// `broadcast mic`
struct MicCommand: AsyncParsableCommand, NotifyingCommand {
    static let configuration = CommandConfiguration(
        commandName: "mic", abstract: "Turn the microphone on or off while the broadcast runs.",
        discussion: "Prints on or off, the new state. While the microphone is off, nothing is recorded from it.")

    @Argument(help: ArgumentHelp("on, off or toggle.", valueName: "on|off|toggle"))
    var value: String

    @OptionGroup var name: SessionName
    @OptionGroup var notice: NotifyOption

    func run() async throws {
        guard let choice = ControlRequest.MicrophoneChoice(rawValue: value) else {
            throw CommandError(.usage, "The microphone can be on, off or toggle, not \(value).")
        }
        let reply = try await name.ask(.microphone(choice))
        let isOn = reply.microphone == true
        try Output.answer(isOn ? "on" : "off")
        guard isOn, await !isRecorded else { return }
        Output.note(
            "Nothing is recorded from it yet: no source delivers sound. Plug a microphone in, or choose a source with --mic-source, see broadcast list-sources."
        )
    }

    /// True if a source of the microphone is open within a second.
    private var isRecorded: Bool {
        get async {
            for _ in 0..<10 {
                // The session may be over.
                guard let report = try? await name.ask(.status).session else { return true }
                if report.audio.mic?.source != nil { return true }
                try? await Task.sleep(for: .milliseconds(100))
            }
            return false
        }
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
        let report = try await name.ask(.annotate(information)).session
        Output.note(AnnotationSentences.sent(to: report?.destinations ?? [], keys: information.keys))
    }
}

/// `broadcast events`
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print the events of a session as JSON, one per line, until it ends.")

    @OptionGroup var name: SessionName

    func run() async throws {
        for await line in try await name.events() { try Output.answer(name.checked(line)) }
    }
}

/// `broadcast chat`
struct ChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat", abstract: "Print what viewers write, until the broadcast ends.",
        discussion: """
            A destination whose extension receives comments passes them on. Each line names the destination and the \
            viewer. What strangers write is printed as plain text.
            """)

    @Flag(help: "Print each comment as a JSON object with the time, as broadcast events does.")
    var json = false

    @OptionGroup var name: SessionName

    func run() async throws {
        let lines = try await name.events()
        if let report = try await name.ask(.status).session {
            guard let sentence = ChatSentences.waiting(for: report.destinations) else {
                throw CommandError(.nothing, ChatSentences.impossible)
            }
            Output.note(sentence)
        }
        for await line in lines {
            guard let event = ControlJSON.decode(EventReport.self, from: try name.checked(line)),
                let comment = event.comment
            else { continue }
            if json {
                try Output.answer(line)
            } else {
                try Output.answer(
                    "\(comment.destination): ".printable + CommentLine.text(comment.text, from: comment.from))
            }
        }
    }
}

extension SessionName {
    /// The events of the session, each as a line of JSON.
    fileprivate func events() async throws(CommandError) -> ControlLines {
        let running = try await running
        do throws(ControlClient.Failure) {
            if let lines = try await running.events() { return lines }
        } catch {
            throw CommandError(error, session: running.name)
        }
        throw await Self.isNotRunning(running.name)
    }

    /// The line, if it is an event. An event has no error field at this level: a line with one is the session's
    /// rejection of the request.
    fileprivate func checked(_ line: [UInt8]) throws(CommandError) -> [UInt8] {
        guard let error = ControlJSON.decode(ControlReply.self, from: line)?.error else { return line }
        throw CommandError(.unavailable, cleaned: error.message)
    }
}
