import ArgumentParser
import FoundationEssentials
import Glibc
import PickerModel
import Presentation
import UserConfiguration

/// `broadcast picker`: ReplayKit's `RPSystemBroadcastPickerView` for a terminal.
struct PickerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picker",
        abstract: "Choose a configured destination and start a broadcast to it, or stop a broadcast.",
        discussion: """
            On a terminal, the arrow keys, Page Up, Page Down, Home and End (or j and k) select; letters search for a \
            name; Tab turns the microphone on or off; Enter starts a broadcast, or stops the running one; Esc or q \
            quits. Press / before a name that begins with j, k or q. On a terminal without cursor control (TERM=dumb, \
            or unset), the command asks for a number. Without a terminal, or with --list or --json, it only lists the \
            destinations. The exit status is 1 if nothing was chosen.
            """)

    @Option(help: ArgumentHelp("The destination that is selected at first.", valueName: "name"))
    var preferred: String?

    @Option(
        help: ArgumentHelp(
            "The session to start or stop. The picker also shows the other running sessions.", valueName: "name"))
    var session = "default"

    @Flag(inversion: .prefixedNo, help: "Offer to turn the microphone on. Default: offered.")
    var microphoneButton = true

    @Option(
        help: ArgumentHelp(
            "Choose with a menu program that reads one name per line and prints one, such as 'rofi -dmenu', 'dmenu' or "
                + "'fzf'. sh runs the command.",
            valueName: "command"))
    var menu: String?

    @Flag(help: "Only list the destinations.")
    var list = false

    @Flag(help: "Only list the destinations, in JSON.")
    var json = false

    /// The menu entry that stops the running broadcast.
    private static let stopEntry = "Stop the broadcast"

    func run() async throws {
        _ = try OptionValue.session(session)
        var context = try CommandContext()
        var destinations = try destinations(context)
        let hasTerminal = isatty(STDIN_FILENO) != 0 && Output.isTerminal
        guard !list, !json, hasTerminal || menu != nil else {
            try destinations.show(asJSON: json)
            return
        }
        while true {
            guard !destinations.entries.isEmpty else {
                try destinations.show(asJSON: false)
                throw CommandError(.nothing, "There is nothing to choose from.")
            }
            switch try await choose(from: destinations, context: context) {
            case .start(let name, let microphone):
                try await start(name, microphone: microphone)
                return
            case .stop:
                try await run(["stop"] + sessionArguments)
                return
            case .setUp(let name):
                try await setUp(name)
                context = try CommandContext()
                destinations = try self.destinations(context)
            case .quit, .toggleLiveMicrophone: throw CommandError(.nothing, "Nothing was started.")
            }
        }
    }

    private func destinations(_ context: CommandContext) throws(CommandError) -> DestinationList {
        let destinations = context.destinations(preferred: preferred)
        if let preferred, !destinations.entries.contains(where: { $0.name == preferred }) {
            let hint = NearestName.of(preferred, among: destinations.entries.map(\.name)).map { " Did you mean \($0)?" } ?? ""
            throw CommandError(
                .noInput, "There is no destination \"\(preferred)\".\(hint) See broadcast list-destinations.")
        }
        return destinations
    }

    private func choose(from destinations: DestinationList, context: CommandContext) async throws(CommandError) -> PickerModel.Action {
        let session = LiveSession(name: session, paths: context.paths)
        let report = await session.fetch()
        if let menu { return try choose(from: destinations, isLive: report.live != nil, with: MenuProgram(command: menu)) }
        let isFullScreen = context.hasCursor
        var model = PickerModel(
            items: destinations.entries.map(PickerModel.Item.init), hasMicrophoneButton: microphoneButton,
            isMicrophoneOn: context.configuration.audio.mic ?? false, live: report.live,
            sources: isFullScreen ? SourceSummary.lines(configuration: context.configuration) : [],
            showsNotice: context.configuration.privacy.notice ?? true)
        model.others = report.others
        guard isFullScreen else { return NumberedList(model: model).ask() }
        var picker = Picker(model, session: session)
        return await picker.run() ?? NumberedList(model: model).ask()
    }

    private func choose(from destinations: DestinationList, isLive: Bool, with menu: MenuProgram) throws(CommandError) -> PickerModel.Action {
        // The first entry is the one that Enter selects.
        let rows = destinations.entries.filter(\.isPreferred) + destinations.entries.filter { !$0.isPreferred }
        guard let answer = try menu.choose(from: isLive ? [Self.stopEntry] : rows.map(\.name)) else { return .quit }
        if isLive && answer == Self.stopEntry { return .stop }
        guard let row = rows.first(where: { $0.name == answer }) else {
            throw CommandError(
                .noInput,
                "The menu printed \"\(DisplayWidth.printable(answer))\", which is not a destination. "
                    + "See broadcast list-destinations.")
        }
        // The menu may run without a terminal, so setup cannot ask questions here.
        if row.isSignedIn == false { throw Self.notSignedIn(to: row.name) }
        return .start(name: row.name, microphone: nil)
    }

    private func start(_ name: String, microphone: Bool?) async throws {
        try await run(["start", "--to", name] + sessionArguments + (microphone.map { [$0 ? "--mic" : "--no-mic"] } ?? []))
    }

    private var sessionArguments: [String] { session == "default" ? [] : ["--session", session] }

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
            name: row.name, service: row.extensionName, place: row.url ?? row.path ?? "", isPreferred: row.isPreferred, isSignedIn: row.isSignedIn)
    }
}
