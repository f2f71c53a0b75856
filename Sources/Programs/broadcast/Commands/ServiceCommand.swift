import ArgumentParser
import Control
import Desktop
import Host
import Presentation
import Terminal
import Upload
import UserConfiguration

/// `broadcast service`
struct ServiceCommand: AsyncParsableCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case enable
        case disable
        case status
    }

    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Start a broadcast with each login, or stop doing that.",
        discussion: """
            enable NAME: broadcast to the destination NAME from the next login on. The name replay stands for the clip \
            buffer: the last minute stays in memory, and broadcast clip --session replay saves it. disable NAME: undo \
            that. status: list what starts with the login, and whether it runs. systemd's user manager runs the \
            broadcast and restarts it after a failure. Without one, an entry in the autostart folder of the desktop \
            starts it. A session has the name of its destination, as in broadcast stop --session NAME. \
            Compositors that are started by hand, as sway often is, do not activate systemd's \
            graphical-session.target, and so start no unit: docs/usage.md, Wayland, has a unit that does. Without a \
            login, the user manager runs only after loginctl enable-linger. cron needs no service: broadcast start \
            with DISPLAY, or with WAYLAND_DISPLAY and XDG_RUNTIME_DIR.
            """)

    @Argument(help: ArgumentHelp("enable, disable or status.", valueName: "action"))
    var action = Action.status

    @Argument(help: ArgumentHelp("A destination that is configured or set up, or replay.", valueName: "name"))
    var name: String?

    @Flag(help: "Start or stop the broadcast at once too.")
    var now = false

    @Flag(help: "Answer in JSON (status).")
    var json = false

    func validate() throws {
        if action != .status && name == nil {
            throw ValidationError(LoginServiceSentences.nameIsMissing(action.rawValue))
        }
        if action == .status && now { throw ValidationError("--now belongs to enable and disable.") }
        if action != .status && json { throw ValidationError("--json belongs to status.") }
    }

    func run() async throws {
        let services = UserEnvironment().loginServices
        switch (action, name) {
        case (.enable, let name?): try enable(name, services)
        case (.disable, let name?): try await disable(name, services)
        case (_, let name): try await show(name, services)
        }
    }

    private func enable(_ name: String, _ services: LoginServices) throws {
        let context = try CommandContext()
        let reachesServers = name == LoginServices.replay ? false : try check(name, context)
        let way = try presentingService { () throws(LoginServices.Problem) in
            try services.enable(name, reachesServers: reachesServers, now: now)
        }
        try Output.answer(LoginServiceSentences.enabled(name, way, now: now))
        if way == .systemd,
            try presentingService({ () throws(LoginServices.Problem) in try services.isDesktopTargetActive() }) == false
        {
            Output.note("Warning: " + LoginServiceSentences.noDesktopTarget)
        }
        if case .chosenLater? = context.sharedMonitor {
            Output.note("Warning: " + LoginServiceSentences.noMonitor)
        }
    }

    /// A login has no terminal to ask for a key, so the destination must be ready.
    ///
    /// - Returns: false if it needs no network.
    private func check(_ name: String, _ context: CommandContext) throws(CommandError) -> Bool {
        let list = context.destinations(preferred: nil)
        if let entry = list.entries.first(where: { $0.name == name }) {
            if entry.isSignedIn == false { throw CommandError(ConfigurationError.destination(.notSignedIn(name))) }
            return entry.kind.reachesServers
        } else if KnownService.named(name) != nil {
            throw CommandError(ConfigurationError.destination(.notSignedIn(name)))
        } else if !context.catalog.names.contains(name) {
            if name == "file" || ContainerFormat(ending: name) != nil && !name.contains("://") {
                throw CommandError(.noInput, LoginServiceSentences.fileHasNoFolder)
            }
            if name.contains(":") { throw CommandError(.noInput, LoginServiceSentences.addressHasNoName) }
            let known = context.configuration.knownNames(with: context.catalog) + [LoginServices.replay]
            throw CommandError(ConfigurationError.destination(.unknown(name, known: known)))
        }
        return true
    }

    private func disable(_ name: String, _ services: LoginServices) async throws {
        let wasEnabled = try presentingService { () throws(LoginServices.Problem) in
            try services.disable(name, now: now)
        }
        // systemd has stopped its own; this one was started by an entry in the autostart folder, or by hand.
        if now, RunningSession.all(CommandContext.paths).contains(where: { $0.name == name }) {
            guard let stop = try Broadcast.parseAsRoot(["stop", "--session", name]) as? StopCommand else { return }
            try await stop.run()
        }
        guard wasEnabled else { throw CommandError(.nothing, LoginServiceSentences.notEnabled(name)) }
        try Output.answer(LoginServiceSentences.disabled(name))
        if !now, RunningSession.all(CommandContext.paths).contains(where: { $0.name == name }) {
            Output.note(LoginServiceSentences.stillRuns(name))
        }
    }

    private func show(_ name: String?, _ services: LoginServices) async throws {
        var all = try presentingService { () throws(LoginServices.Problem) in
            if let name { return [try services.status(name)] }
            return try services.all()
        }
        // Only the session that an entry started knows whether it runs.
        let running = await RunningSession.names(CommandContext.paths)
        for index in all.indices where all[index].way == .autostart {
            all[index].activity = running.contains(all[index].name) ? "active" : "inactive"
        }
        if json {
            try Output.answer(ControlJSON.encode(["services": all.map(LoginServiceRow.init)], pretty: true))
        } else if all.isEmpty {
            Output.note(LoginServiceSentences.none)
        } else {
            try Output.answer(TextTable.text(all.map { LoginServiceRow($0).cells }))
        }
        // As systemctl does, but with the status of this program.
        if let one = all.first, name != nil, !one.isEnabled, one.activity != "active" {
            throw CommandError.quiet(.nothing)
        }
    }

    private func presentingService<Value>(_ body: () throws(LoginServices.Problem) -> Value) throws(CommandError)
        -> Value
    {
        do throws(LoginServices.Problem) {
            return try body()
        } catch {
            throw CommandError(error)
        }
    }
}
