import ArgumentParser
import CommandModels
import Desktop
import FoundationEssentials
import Glibc
import Host
import Presentation
import Terminal
import Upload
import UserConfiguration

/// `broadcast picker`: ReplayKit's `RPSystemBroadcastPickerView` for a terminal.
struct PickerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picker",
        abstract: "Choose a configured destination and start a broadcast to it, or stop a broadcast.",
        discussion: """
            On a terminal, the arrow keys, Page Up, Page Down, Home and End (or j and k) select; letters search for a \
            name; Tab turns the microphone on or off; Enter starts a broadcast to the selected destination; Esc or q \
            quits. While the broadcast is live, Enter on a destination that it does not use adds that one. Enter \
            and then y on one that it uses removes it, or stops the broadcast if it has no other. Press / before a name that \
            begins with j, k or q. After the configured destinations come a recording, the extensions that need no \
            setup and, as long as nothing is configured, the known services. On a terminal without cursor control (TERM=dumb, or unset), the command asks for a number. Without a \
            terminal, or with --list or --json, it only lists the destinations. With --menu and without a terminal, \
            errors are desktop notifications. The exit status is 1 if nothing was chosen.
            """)

    @Option(help: ArgumentHelp("The destination that is selected at first.", valueName: "name"))
    var preferred: String?

    @Option(
        help: ArgumentHelp(
            "The session to start or stop. The picker also shows the other running sessions. "
                + "Default: BROADCAST_SESSION of the environment, or default.", valueName: "name"))
    var session: String?

    @Flag(inversion: .prefixedNo, help: "Offer to turn the microphone on. Default: offered.")
    var microphoneButton = true

    @Option(
        help: ArgumentHelp(
            "Choose with a menu program that reads one name per line and prints one, such as 'rofi -dmenu', 'dmenu' or "
                + "'fzf'. sh runs the command.",
            valueName: "command"))
    var menu: String?

    @Flag(help: "Only list the configured destinations, as list-destinations does.")
    var list = false

    @Flag(help: "Only list the configured destinations, in JSON.")
    var json = false

    @Flag(
        help:
            "At the end, wait for Enter. Use it if the terminal's window closes when the command ends, so that you can read errors and results."
    )
    var hold = false

    /// The menu entries while a broadcast runs. The first one is the one that Enter selects, so it ends nothing.
    private static let continueEntry = "Continue the broadcast"
    private static let stopEntry = "Stop the broadcast"

    func run() async throws {
        do {
            try await pickAndRun()
        } catch is Cancellation {
            // The user left the picker and knows it: there is no result to read.
            throw CommandError(.nothing, "Nothing was started.")
        } catch let failure as StartFailure {
            throw holding(failure.error)
        } catch let error as CommandError {
            if menu != nil && !Output.isTerminal && !error.message.isEmpty { DesktopNotification.send(error.message) }
            throw holding(error)
        }
        waitIfHeld()
    }

    private func pickAndRun() async throws {
        let session = try SessionName.new(session)
        var context = try CommandContext()
        var destinations = try destinations(context)
        let hasTerminal = isatty(STDIN_FILENO) != 0 && Output.isTerminal
        guard !list, !json, hasTerminal || menu != nil else {
            try destinations.show(asJSON: json, configFile: context.paths.configFile)
            return
        }
        while true {
            switch try await choose(
                from: items(destinations, ready: context.catalog.ready), session: session, context: context)
            {
            case .start(let name, let microphone):
                do {
                    try await start(name, session: session, microphone: microphone)
                } catch let error as CommandError {
                    throw StartFailure(error: error)
                }
                return
            case .stop:
                try await run(["stop", "--session", session])
                return
            case .add(let name):
                try await run(["add-destination", name, "--session", session])
                return
            case .remove(let name):
                try await run(["remove-destination", name, "--session", session])
                return
            case .setUp(let name):
                try await setUp(name)
                context = try CommandContext()
                destinations = try self.destinations(context)
            case .quit, .toggleLiveMicrophone: throw Cancellation()
            }
        }
    }

    /// The user left the picker.
    private struct Cancellation: Error {}

    /// An error of `broadcast start`, which shows it on the desktop itself.
    private struct StartFailure: Error {
        let error: CommandError
    }

    // MARK: Errors that stay readable

    /// With --hold, shows an error until the user presses Enter.
    private func holding(_ error: CommandError) -> CommandError {
        guard hold else { return error }
        if !error.isTold { Output.note("broadcast: " + error.message) }
        waitIfHeld()
        return .quiet(error.status)
    }

    private func waitIfHeld() {
        guard hold, !list, !json, isatty(STDIN_FILENO) != 0 else { return }
        TypedAhead.discard()
        Output.raw("Press Enter to close. ")
        _ = readLine()
    }

    // MARK: Choosing

    private func destinations(_ context: CommandContext) throws(CommandError) -> DestinationList {
        let destinations = context.destinations(preferred: preferred)
        let ready = context.catalog.ready.map(\.name)
        if let preferred, !destinations.entries.contains(where: { $0.name == preferred }), !ready.contains(preferred) {
            let hint =
                NearestName.of(preferred, among: destinations.entries.map(\.name)).map { " Did you mean \($0)?" } ?? ""
            let quoted = NearestName.quoted(preferred, among: destinations.entries.map(\.name))
            throw CommandError(
                .noInput, "There is no destination \(quoted).\(hint) See broadcast list-destinations.")
        }
        return destinations
    }

    /// The destinations, and what can start without any: a recording, unless one is configured, and extensions.
    /// Without destinations, also the known services, to sign in to.
    ///
    /// - Parameter ready: extensions that can start without a setup.
    private func items(_ destinations: DestinationList, ready: [ExtensionManifest]) -> [PickerModel.Item] {
        let extensions = ready.filter { manifest in !destinations.entries.contains { $0.name == manifest.name } }.map {
            PickerModel.Item(
                name: $0.name, service: "extension", place: $0.description, isPreferred: $0.name == preferred)
        }
        let recording = PickerModel.Item(name: DestinationKind.file.name, service: "a recording")
        let services =
            destinations.entries.isEmpty
            ? KnownService.all.map { PickerModel.Item(name: $0.name, service: $0.title, isSignedIn: false) } : []
        return destinations.entries.map(PickerModel.Item.init)
            + (destinations.entries.contains { $0.kind == .file } ? [] : [recording]) + extensions + services
    }

    private func choose(
        from items: [PickerModel.Item], session: String, context: CommandContext
    ) async throws(CommandError) -> PickerModel.Action {
        let session = LiveSession(name: session, paths: context.paths)
        let report = await session.fetch()
        if let menu { return try choose(from: items, isLive: report.live != nil, with: MenuProgram(command: menu)) }
        let isFullScreen = context.terminal.hasCursor
        var model = PickerModel(
            items: items, hasMicrophoneButton: microphoneButton,
            isMicrophoneOn: context.configuration.audio.isOn(\.mic), live: report.live,
            sources: isFullScreen
                ? SourceSummary.lines(configuration: context.configuration, sharing: context.sharedMonitor) : [],
            notice: Exposure.pickerNotice(context.configuration.privacy, isWayland: context.isWaylandSession))
        model.others = report.others
        guard isFullScreen else { return NumberedList(model: model).ask() }
        var picker = Picker(model, session: session)
        return await picker.run() ?? NumberedList(model: model).ask()
    }

    private func choose(from items: [PickerModel.Item], isLive: Bool, with menu: MenuProgram) throws(CommandError)
        -> PickerModel.Action
    {
        // The first entry is the one that Enter selects.
        let rows = items.filter(\.isPreferred) + items.filter { !$0.isPreferred }
        guard let answer = try menu.choose(from: isLive ? [Self.continueEntry, Self.stopEntry] : rows.map(\.name))
        else { return .quit }
        if isLive && answer == Self.continueEntry { return .quit }
        if isLive && answer == Self.stopEntry { return .stop }
        guard let row = rows.first(where: { $0.name == answer }) else {
            throw CommandError(
                .noInput,
                "The menu printed \"\(answer.printable)\", which is not a destination. "
                    + "See broadcast list-destinations.")
        }
        // The menu may run without a terminal, so setup cannot ask questions here.
        if row.isSignedIn == false { throw Self.notSignedIn(to: row.name) }
        return .start(name: row.name, microphone: nil)
    }

    private func start(_ name: String, session: String, microphone: Bool?) async throws {
        try await run(
            ["start", "--to", name, "--session", session] + (microphone.map { [$0 ? "--mic" : "--no-mic"] } ?? []))
    }

    private func setUp(_ name: String) async throws {
        try await run(["setup", name])
    }

    private static func notSignedIn(to name: String) -> CommandError {
        CommandError(.notPermitted, "Not signed in to \(name). Run: broadcast setup \(name)")
    }

    private func run(_ arguments: [String]) async throws {
        var command = try Broadcast.parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }
}

extension PickerModel.Item {
    /// The row of a configured destination.
    init(_ row: DestinationList.Entry) {
        self.init(
            name: row.name, service: row.kind.name, place: row.url ?? row.path ?? "", isPreferred: row.isPreferred,
            isSignedIn: row.isSignedIn)
    }
}
