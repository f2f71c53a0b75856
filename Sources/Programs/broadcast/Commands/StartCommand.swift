import ArgumentParser
import Concurrency
import Control
import Credentials
import Desktop
import FoundationEssentials
import Glibc
import Host
import Presentation
import PulseCapture
import Session
import Terminal
import Upload
import UserConfiguration

/// `broadcast start`
package struct StartCommand: AsyncParsableCommand, NotifyingCommand {
    package static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a broadcast.",
        discussion: """
            --to accepts a configured destination, a known service, an extension (lan: browsers in this network) or an \
            address that it accepts (srt://…, hls:…), an rtmp:// or rtmps:// address, a file (.mp4 .mkv .flv .ts .h264 .y4m), clips, or - for \
            standard output. Repeat it for several destinations: those that need the same picture share one encoder. \
            Without --to, \
            the broadcast goes to the preferred destination of the config, or to a file in ~/Videos or the current \
            folder. Press q or Ctrl-C to stop the broadcast, p to pause or resume it, m for the microphone, c to save a \
            clip. In the config, the path of a file destination is a folder \
            unless it has the ending of a file. The command creates a missing folder and names the file after the \
            date. A relative path starts at your home folder.
            """)

    @OptionGroup(title: "Destinations") var destinations: DestinationOptions
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Video") var video: VideoOptions
    @OptionGroup(title: "Audio") var audio: AudioOptions
    @OptionGroup(title: "Privacy") var privacy: PrivacyOptions
    @OptionGroup(title: "Network") var network: NetworkOptions
    @OptionGroup(title: "Session") var session: SessionOptions
    @OptionGroup(title: "Session") var notice: NotifyOption

    @Flag(help: "Show what viewers will see, and ask before going live; without a terminal, go live at once.")
    var preview = false

    var targets: [String] { destinations.targets }

    /// The connection to the parent of a detached session. All other arguments come through it.
    @Option(help: .hidden) var launchDescriptor: Int32?

    package init() {}

    package func run() async throws {
        guard let launchDescriptor else {
            // Before anything is read that could be wrong: what is live has to end.
            if session.toggle, try await stopRunning() { return }
            if session.waitForDisplay, source.y4m == nil { await DisplayWait(display: source.display).run() }
            return try await run(nil)
        }
        guard let launched = LaunchedSession(descriptor: launchDescriptor),
            let command = try Broadcast.parseAsRoot(launched.request.arguments) as? StartCommand
        else { throw CommandError.quiet(.software) }
        try await command.run(launched)
    }

    /// Stops the session, for `--toggle`. Returns false if it does not run.
    private func stopRunning() async throws -> Bool {
        let running = RunningSession(name: try SessionName.new(session.session), CommandContext.paths)
        do throws(ControlClient.Failure) {
            guard try await running.ask(.status) != nil else { return false }
        } catch {
            throw CommandError(error, session: running.name)
        }
        let arguments = ["stop", "--session", running.name]
        guard let stop = try Broadcast.parseAsRoot(arguments) as? StopCommand else { return false }
        try await stop.run()
        return true
    }

    /// - Parameter launched: the connection to the parent, in the process of a detached session.
    private func run(_ launched: LaunchedSession?) async throws {
        do {
            let context = try CommandContext(profile: session.profile)
            do {
                try await run(context, launched)
            } catch let error as CommandError where !error.isTold {
                // Until a detached session is live, its parent tells the user.
                if launched?.isOver ?? true, !error.status.isOfUser { notify(error.message, context, launched) }
                throw error
            }
        } catch var error as CommandError {
            // The parent shows it, or the log has it.
            if let launched {
                launched.reportFailure(error)
                launched.flush()
                error.isTold = true
            }
            throw error
        }
    }

    private func run(_ context: CommandContext, _ launched: LaunchedSession?) async throws {
        let name = try SessionName.new(session.session)
        var settings = try sessionSettings()
        settings.proxyPassword = context.sessionEnvironment.proxyPassword
        let format = try containerFormat()
        try refuseImpossible()
        let usesPortal = try source.usesPortal(context)
        let isAttended = launched?.request.isAttended ?? source.isAttended(context)
        if usesPortal {
            settings.source = .portal(try source.portalRequest(context, isAttended: isAttended, previews: preview))
        }
        var request = try sessionRequest(settings, format: format, context)
        if launched == nil, let note = OptionValue.roundingNote(size: video.size, region: source.region) {
            Output.note(note)
        }
        let isParent = session.detach && launched == nil
        if isParent { try refuseDetachedOutput(context) }
        if launched == nil { try refuseUnknownSound(request.session.media) }
        if let window = try launched?.request.window ?? (usesPortal ? nil : pickedWindow()) {
            request.select(window: window)
        }
        // The parent of a detached session has shown the picture already.
        if preview && launched == nil { try await showPreview(of: request.session.media, context) }
        // The preview asked already.
        if preview { request.keepSharedChoice() }
        if let handed = try launched?.request.secrets ?? addressKey() {
            request.secrets = HandedSecretSource(handed, otherwise: context.credentials)
        }
        guard isParent else { return try await host(name, request, context, launched) }
        var window: UInt?
        if case .screen(_, .window(let number)) = request.settings.source { window = number }
        let launch = LaunchRequest(
            arguments: Array(CommandLine.arguments.dropFirst()), window: window, isAttended: isAttended,
            secrets: try secrets(for: request, context))
        try self.launch(name, launch, context)
    }

    /// The settings from the options. `run` adds what depends on the system: the portal, and the password of the proxy.
    package func sessionSettings() throws(CommandError) -> SessionSettings {
        var settings = try SessionSettings(
            source: source, video: video, audio: audio, privacy: privacy, session: session)
        try settings.apply(network)
        return settings
    }

    /// The session that the options describe, over the configuration.
    private func sessionRequest(
        _ settings: SessionSettings, format: ContainerFormat?, _ context: CommandContext
    ) throws(CommandError) -> SessionRequest {
        var request = try presenting { () throws(ConfigurationError) in
            try SessionRequest(
                settings, over: context.configuration, destinations: .named(targets),
                environment: context.sessionEnvironment)
        }
        request.format = format
        request.separatesAudio = audio.audioTracks == .separate
        request.output = StandardDescriptors.outputState
        request.readsAddressKey = network.keyFromStdin
        return request
    }

    /// The window that the user clicks; nil unless the options ask for that.
    private func pickedWindow() throws(CommandError) -> UInt? {
        try source.selection() == nil ? try source.pickWindow() : nil
    }

    /// Runs the session to its end.
    private func host(
        _ name: String, _ request: SessionRequest, _ context: CommandContext, _ launched: LaunchedSession?
    ) async throws(CommandError) {
        let options = try hostOptions(name, context, isLaunched: launched != nil)
        // They hold pictures of the screen, also if no later broadcast makes clips for an extension.
        ClipFolder.removeAbandoned(in: context.paths.clipFolder)
        let host = SessionHost(options: options) { () throws(ConfigurationError) in request }
        let takesKeys = launched == nil && !session.quiet && SessionKeys.isPossible
        let output =
            launched.map(ConsoleOutput.parent)
            ?? .errors(isTerminal: Output.isTerminal, colours: context.user.statusColours)
        var console = SessionConsole(
            session: name, showsNotice: context.configuration.privacy.isOn(\.notice), isQuiet: session.quiet,
            output: output)
        let stopSignal = Once<Int32>()
        let signals = StopSignals { number in
            stopSignal.set(number)
            host.requestStop()
        }
        defer { signals.ignore() }
        launched?.whenParentIsGone { host.requestStop() }
        let start = Task { () -> CommandError? in
            do throws(HostError) {
                try await host.start()
                return nil
            } catch {
                return CommandError(error)
            }
        }
        let isAsking = if case .portal(let portal) = request.settings.source { portal.asksUser } else { false }
        let waiting = session.quiet ? nil : Self.reportWaiting(host, isAsking: isAsking, to: output)
        defer { waiting?.cancel() }
        let manager = launched == nil ? context.user.serviceManager : nil
        var keys: SessionKeys?
        for await event in host.events {
            let snapshot = host.session?.snapshot()
            // Not earlier: a program that finds a key can ask for something on the terminal.
            if takesKeys, keys == nil, SessionConsole.isStarting(event, snapshot) {
                let actions = SessionKeyActions(host, output: output)
                keys = SessionKeys { actions.press($0, isRepeated: $1) }
                if keys != nil { console.offer(.init(savesClips: host.session?.keepsClips == true)) }
            }
            console.show(event, snapshot)
            if case .started = event { waiting?.cancel() }
            manager?.report(event)
            react(to: event, of: host, context, launched)
        }
        let failure = await start.value
        await keys?.close()
        console.end()
        if var error = failure {
            // The signal ended a question to the keyring, or a key command.
            if error.status == .nothing, let signal = stopSignal.current { error.status = .ended(by: signal) }
            throw error
        }
        let outcome = try await Self.outcome(of: host, request)
        if let failure = console.showResults(outcome) {
            // The user who stops the session sees it now.
            if launched?.isOver == true, !outcome.isAsked { recordEnding(failure.message, context) }
            throw failure
        }
        // The duration is over, or the source ended.
        guard !outcome.isAsked else { return }
        let reason = outcome.snapshot.endReason?.sentence ?? "The broadcast has ended."
        let result = reason + " " + outcome.resultLines.joined(separator: "; ")
        notify(result, context, launched)
        if launched != nil, outcome.snapshot.endReason != nil { recordEnding(result, context) }
    }

    /// In the background, nobody sees why the session ended: the next command says it.
    private func recordEnding(_ reason: String, _ context: CommandContext) {
        guard let name = try? SessionName.new(session.session) else { return }
        SessionEnding.record(reason, of: name, at: Date(), context.paths)
    }

    /// What the host knows of this system: its folders, and the names of applications. Creates the folders that a
    /// session needs.
    private func hostOptions(
        _ name: String, _ context: CommandContext, isLaunched: Bool
    ) throws(CommandError) -> HostOptions {
        let paths = context.paths
        try presenting { () throws(ConfigurationError) in try paths.prepareRuntimeFolder() }
        do throws(ConfigurationError) {
            try paths.prepareSessionsFolder()
        } catch .folder(_, .cannotCreate) {
            // A session without it is found only in its runtime folder.
        } catch {
            throw CommandError(error)
        }
        var options = HostOptions(name: name, phrases: ErrorPresenter())
        options.title = session.title
        options.socket = paths.socket(session: name)
        options.otherSockets = paths.otherSockets(session: name)
        options.registration = paths.registration(session: name)
        options.claimPath = { [paths] in paths.addressClaim($0) }
        options.log = paths.log(session: name)
        options.logsStandardError = isLaunched
        options.applicationNames = DesktopEntries(folders: paths.dataSearchPath.map { $0 + "/applications" })
        return options
    }

    /// Does what an event requires, apart from what the console shows.
    private func react(
        to event: HostEvent, of host: SessionHost, _ context: CommandContext, _ launched: LaunchedSession?
    ) {
        // The user may look at another monitor, and not at the terminal.
        if case .notice(.session(.pipeline(.source(let notice)))) = event, case .sharedMonitorGone = notice,
            context.hasSessionBus
        {
            DesktopNotification.send(notice.sentence, isUrgent: true)
        }
        // In the order of the events: the parent shows all warnings before it returns.
        if let launched, case .started = event { report(host, to: launched) }
    }

    /// Returns how the session ended. Throws if it did not start or failed, or if the user shared nothing.
    private static func outcome(
        of host: SessionHost, _ request: SessionRequest
    ) async throws(CommandError) -> HostOutcome {
        let outcome: HostOutcome
        do throws(HostError) {
            outcome = try await host.ended()
        } catch {
            throw CommandError(error)
        }
        if case .portal = request.settings.source, outcome.failure == nil, outcome.snapshot.source == nil {
            throw CommandError(.portal(.cancelled))
        }
        return outcome
    }

    /// Reports to the parent once every destination is live, or that one failed.
    private func report(_ host: SessionHost, to launched: LaunchedSession) {
        let destinations = host.session?.snapshot().destinations ?? []
        guard let failed = destinations.first(where: { $0.error != nil && $0.state == .failed }),
            let error = failed.error
        else {
            return destinations.allSatisfy { !$0.state.isOver } ? launched.reportLive() : ()
        }
        // If no other destination remains, the session ends and its error is reported then.
        guard destinations.contains(where: { !$0.state.isOver }) else { return }
        let failure = CommandError(error, destination: failed.name)
        launched.reportFailure(
            CommandError(
                failure.status,
                failure.message + " The session continues with its other destinations. To end it, run: broadcast stop"))
    }

    /// Reports what the start waits for, if that takes long and the status line does not show it.
    private static func reportWaiting(
        _ host: SessionHost, isAsking: Bool, to output: ConsoleOutput
    ) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: .seconds(1))
            guard !Task.isCancelled, !output.isTerminal, let snapshot = host.session?.snapshot() else { return }
            output.say(StatusLine.waiting(for: snapshot, isAsking: isAsking))
        }
    }
}

extension ServiceManager {
    /// Each destination has accepted the broadcast, or is over; the session works; or its end has begun.
    fileprivate func report(_ event: HostEvent) {
        switch event {
        case .started: ready()
        case .statistics(let snapshot): sign("\(snapshot.state.rawValue), \(Int(snapshot.elapsed.seconds)) s")
        case .state(let state):
            show(state.rawValue)
            if state == .finishing { stopping() }
        case .exposed, .destination, .notice, .annotation, .changed, .clip, .comment: break
        }
    }
}
