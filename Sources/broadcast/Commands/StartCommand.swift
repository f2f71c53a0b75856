import ArgumentParser
import BroadcastKit
import Desktop
import FoundationEssentials
import Glibc
import Host
import Presentation
import Session
import Upload
import UserConfiguration

/// `broadcast start`
struct StartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a broadcast.",
        discussion: """
            --to accepts a configured destination, an extension, an rtmp:// address, a file (.mp4 .flv .ts .h264 .y4m) \
            or - for standard output. Repeat it for several destinations: everything is encoded once. Without --to, \
            the broadcast goes to the preferred destination of the config, or to a file in ~/Videos or the current \
            folder. Press Ctrl-C to stop the broadcast. In the config, the path of a file destination is a folder \
            unless it has the ending of a file. The command creates a missing folder and names the file after the \
            date. A relative path starts at your home folder.
            """)

    @OptionGroup(title: "Destinations") var destinations: DestinationOptions
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions
    @OptionGroup(title: "Session") var session: SessionOptions

    @Flag(help: "Show what viewers will see, and ask before going live; without a terminal, go live at once.")
    var preview = false

    private var targets: [String] { destinations.targets }

    /// A descriptor that the parent of a detached session reads.
    @Option(help: .hidden) var readinessDescriptor: Int32?

    func run() async throws {
        let context = try CommandContext()
        do {
            try await run(context)
        } catch let error as CommandError {
            if context.hasSessionBus { notify(error) }
            throw error
        }
    }

    private func run(_ context: CommandContext) async throws {
        let name = try OptionValue.session(session.session)
        var settings = try SessionSettings(source: source, video: video, audio: audio, privacy: privacy, session: session)
        let format = try containerFormat()
        try refuseImpossible(context)
        let picksWindow = try source.selection() == nil
        let configuration = { [settings] () throws(CommandError) in
            try presenting { () throws(ConfigurationError) in try SessionConfiguration(settings, over: context.configuration) }
        }
        if session.detach {
            if picksWindow && preview {
                throw CommandError(
                    .usage,
                    "--preview and --detach need the number of a window. Choose one from broadcast list-sources.")
            }
            _ = try configuration()
            if preview { try await showPreview(of: configuration(), context) }
            try refuseDetachedOutput(context)
            try DetachedLaunch(context: context, session: name).run()
            return
        }
        if picksWindow { settings.source = .screen(display: source.display, .window(try source.pickWindow())) }
        let chosen = try presenting { [settings] () throws(ConfigurationError) in try SessionConfiguration(settings, over: context.configuration) }
        // The parent of a detached session has shown the picture already.
        if preview && readinessDescriptor == nil { try await showPreview(of: chosen, context) }
        let readiness = readinessDescriptor.map(ReadinessPipe.init(descriptor:))
        do throws(CommandError) {
            try await host(name, settings, chosen, format: format, context, readiness)
        } catch {
            readiness?.report(error)
            throw error
        }
    }

    /// Runs the session to its end.
    private func host(
        _ name: String, _ settings: SessionSettings, _ configuration: SessionConfiguration, format: ContainerFormat?, _ context: CommandContext,
        _ readiness: ReadinessPipe?
    ) async throws(CommandError) {
        try presenting { () throws(ConfigurationError) in try context.paths.prepareRuntimeFolder() }
        var options = HostOptions(name: name, phrases: ErrorPresenter())
        options.title = session.title
        options.socket = context.paths.socket(session: name)
        options.log = readiness == nil ? context.paths.log(session: name) : nil
        options.desktop = context.desktopRequest
        // The standard error of a detached session is its log, which each session overwrites.
        if readiness != nil { options.onNameTaken = { _ = ftruncate(STDERR_FILENO, 0) } }
        options.applicationNames = DesktopEntries(environment: ProcessInfo.processInfo.environment)
        let controller = BroadcastController(
            options: options, settings: settings, configuration: context.configuration, targets: targets, format: format,
            separatesAudio: audio.audioTracks == .separate, output: StandardDescriptors.outputState, context: context.kitContext)
        var console = SessionConsole(session: name, showsNotice: context.configuration.privacy.notice ?? true)
        let signals = StopSignals { controller.requestStop() }
        defer { signals.ignore() }
        let start = Task { () -> CommandError? in
            do throws(HostError) {
                try await controller.begin()
                reportReadiness(controller, readiness)
                return nil
            } catch {
                return CommandError(error)
            }
        }
        for await event in controller.hostEvents { console.show(event, controller.snapshot) }
        if let error = await start.value { throw error }
        let outcome: HostOutcome
        do throws(HostError) {
            outcome = try await controller.outcome()
        } catch {
            throw CommandError(error)
        }
        if let failure = console.showResults(outcome) { throw failure }
    }

    /// Reports to the parent once every destination is live, or that one failed.
    private func reportReadiness(_ controller: BroadcastController, _ readiness: ReadinessPipe?) {
        guard let readiness else { return }
        let destinations = controller.snapshot?.destinations ?? []
        guard let failed = destinations.first(where: { $0.error != nil && $0.state == .failed }), let error = failed.error else {
            return destinations.allSatisfy { !$0.state.isOver } ? readiness.reportLive() : ()
        }
        // If no other destination remains, the session ends and its error is reported then.
        guard destinations.contains(where: { !$0.state.isOver }) else { return }
        let failure = CommandError(error, destination: failed.name)
        readiness.report(
            CommandError(failure.status, failure.message + " The session continues with its other destinations. To end it, run: broadcast stop"))
    }

    // MARK: Before the start

    private func refuseImpossible(_ context: CommandContext) throws(CommandError) {
        if source.y4m == "-" || audio.wav == "-" {
            if session.detach { throw CommandError(.usage, "A detached broadcast has no standard input. Omit --detach, or use a named pipe.") }
            if isatty(STDIN_FILENO) != 0 { throw CommandError(.usage, "Standard input is a terminal. Pipe pictures or sound into broadcast.") }
        }
        try source.refuseWayland(context)
        if preview && source.y4m == "-" {
            throw CommandError(.usage, "--preview would consume the first pictures of standard input. Omit --preview.")
        }
    }

    /// A detached broadcast has no standard output, neither by `-` nor by a destination of the configuration.
    private func refuseDetachedOutput(_ context: CommandContext) throws(CommandError) {
        let wanted = targets.isEmpty ? [context.configuration.preferred].compactMap(\.self) : targets
        let isOutput = wanted.contains { target in
            target == "-" || (context.configuration.destination(named: target)?.extensionName ?? target) == "stdout"
        }
        if isOutput { throw CommandError(.usage, "A detached broadcast has no standard output. Omit --detach, or choose a file.") }
    }

    /// Shows what viewers will see, and asks whether to go live if there is a terminal. Throws if the picture cannot be
    /// shown, or if the answer is not yes.
    private func showPreview(of configuration: SessionConfiguration, _ context: CommandContext) async throws(CommandError) {
        let place = try await PreviewPicture.take(configuration).show(context)
        let file: ViewedPicture? = if case .viewer(let file) = place { file } else { nil }
        guard isatty(STDIN_FILENO) != 0 else {
            file?.removeLater()
            return
        }
        defer { file?.remove() }
        // A key that was pressed before the question is no answer.
        tcflush(STDIN_FILENO, TCIFLUSH)
        Output.raw(PreviewSentences.question(file: file?.path))
        guard PreviewSentences.isYes(readLine()) else { throw .nothingStarted }
    }

    /// Shows an error on the desktop if the user sees no terminal.
    private func notify(_ error: CommandError) {
        guard error.status == .notPermitted, readinessDescriptor == nil, isatty(STDIN_FILENO) == 0, !Output.isTerminal else { return }
        DesktopNotification.send(error.message)
    }

    private func containerFormat() throws(CommandError) -> ContainerFormat? {
        guard let text = session.format else { return nil }
        guard let format = ContainerFormat(rawValue: text) else {
            throw CommandError(
                .usage, "There is no format \"\(text)\". Use one of \(ContainerFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return format
    }
}
