import CommandModels
import Desktop
import FoundationEssentials
import Upload
import UserConfiguration

/// The values of options and positional arguments. They come from the configuration, the running sessions, the X
/// server and PulseAudio. Nothing here asks a keyring or the user.
package struct CompletionValues {
    let line: CompletionLine
    let root: CommandTree
    /// The configuration; nil if it is invalid. Then the values from the running system remain.
    private let context = try? CommandContext()

    package init(line: CompletionLine, root: CommandTree) {
        self.line = line
        self.root = root
    }

    /// Returns the values of `argument`; nil for an argument that is not in the lists below.
    package func completion(of argument: CommandTree.Argument) async -> Completion? {
        if argument.kind == "positional" { return await positional() }
        guard let name = argument.names?.first(where: { $0.kind == "long" })?.name else { return nil }
        if let known = await running(name) ?? fixed(name) { return known }
        return argument.allValues.map { .values($0) }
    }

    /// The values of the positional arguments, by subcommand.
    private func positional() async -> Completion? {
        switch line.command.commandName {
        case "mic": .values(["on", "off", "toggle"])
        case "config":
            line.positionals.isEmpty
                ? .values(ConfigCommand.Action.allCases.map { .init(value: $0.rawValue, summary: "") })
                : configuration(after: line.positionals)
        case "service":
            line.positionals.isEmpty
                ? .values(ServiceCommand.Action.allCases.map { .init(value: $0.rawValue, summary: "") })
                : .values(targets + [.init(value: LoginServices.replay, summary: "the clip buffer")])
        case "completion": .values(CompletionCommand.Shell.allCases.map { .init(value: $0.rawValue, summary: "") })
        case "clip", "preview": Completion(mode: .files)
        case "add-destination": destinations
        // doctor also takes the path of a file, but a list of all files hides the names.
        case "doctor": .values(destinations.candidates)
        case "remove-destination": .values(await sessionDestinations { $0.state != "finished" && $0.state != "failed" })
        case "retry": .values(await sessionDestinations { $0.nextRetryS != nil })
        case "hide": .values([Self.activeWindow, Self.pickedWindow] + windows + windowRules + [Self.processRule])
        case "unhide": .values(await sessionRules() + [Self.activeWindow, Self.pickedWindow])
        case "setup", "sign-out": .values(targets)
        case "check-extension": Completion(mode: .folders, candidates: extensions)
        case "forget-source":
            .values(CommandContext.paths.rememberedChoices.all.keys.sorted().map { .init(value: $0, summary: "") })
        case "help":
            .values(
                root.visibleSubcommands.map { .init(value: $0.commandName, summary: $0.abstract ?? "") }
                    + HelpTopic.allCases.map { .init(value: $0.rawValue, summary: $0.summary) })
        // Any KEY=VALUE.
        case "annotate": .free
        default: nil
        }
    }

    /// The values of the options that depend on the system.
    private func running(_ option: String) async -> Completion? {
        switch option {
        case "to": destinations
        case "preferred": .values(targets)
        case "profile":
            .values((context?.configuration.profiles ?? []).map { .init(value: $0.name, summary: "") })
        // The name of a new session is free.
        case "session":
            line.command.commandName == "start"
                ? .free : .values(await sessions(withLogs: line.command.commandName == "logs"))
        case "display": .values(displays)
        case "monitor": .values(monitors { $0.name })
        case "region": .values(monitors { "\($0.width)x\($0.height)+\($0.x)+\($0.y)" })
        case "window":
            .values(
                [Self.activeWindow, .init(value: "pick", summary: "the window that you click")] + windows + windowRules)
        case "hide": .values(windowRules + [Self.processRule])
        case "app-source": .values(applicationSounds + [.init(value: "app:", summary: "one application, by its name")])
        case "mic-source": .values(microphones)
        case "bind": .values(interfaces)
        case "set", "secret-from-stdin": .values(questions(areSecret: option != "set"))
        default: nil
        }
    }

    /// The values of the options that are always the same, and the options whose value is free.
    private func fixed(_ option: String) -> Completion? {
        switch option {
        case "y4m", "wav": Completion(mode: .files, candidates: [.init(value: "-", summary: "standard input")])
        case "source":
            .values([
                .init(value: "x11", summary: "the X display"),
                .init(value: "portal", summary: "what you choose in the desktop's dialog"),
            ])
        case "format": .values(ContainerFormat.allCases.map(\.rawValue))
        case "menu": .values(["rofi -dmenu", "dmenu", "wofi --dmenu", "fuzzel --dmenu", "fzf"])
        case "last", "clip-buffer": .values(["30s", "60s", "2m"])
        case "monitor-timeout", "window-timeout": .values(["0s", "5m", "1h"])
        case "duration": .values(["90s", "10m", "1h"])
        // Numbers and text that only the user knows.
        case "title": .free
        default: setting("--" + option)
        }
    }

    /// The values of the option of a setting; nil if no setting has this option.
    private func setting(_ option: String) -> Completion? {
        SettingCatalog.all.first { $0.option?.name == option }.map { setting in
            .values(setting.suggestions.map { Completion.Candidate(value: $0.value, summary: $0.summary) })
        }
    }

    private static let activeWindow = Completion.Candidate(value: "active", summary: "the window that has the focus")
    private static let pickedWindow = Completion.Candidate(value: "pick", summary: "the window that you click")
    private static let processRule = Completion.Candidate(value: "pid:", summary: "windows of this process")

    // MARK: The configuration

    /// The keys that `config get` and `config set` take, and the values of a key.
    ///
    /// - Parameter words: the action, and what follows it.
    private func configuration(after words: [String]) -> Completion {
        switch words[0] {
        case "get" where words.count == 1, "set" where !words.count.isMultiple(of: 2): .values(configurationKeys)
        case "set": values(ofKey: words[words.count - 1])
        default: .free
        }
    }

    private var configurationKeys: [Completion.Candidate] {
        let settings = SettingCatalog.tables.flatMap { table in
            table.settings.map { Completion.Candidate(value: "\(table.name).\($0.key)", summary: $0.help) }
        }
        let ofDestinations = (context?.configuration.destinations ?? []).flatMap { destination in
            DestinationKeys.all.map {
                Completion.Candidate(value: "destinations.\(destination.name).\($0)", summary: "")
            }
        }
        return settings + [.init(value: "preferred", summary: "the destination of start without --to")] + ofDestinations
    }

    private func values(ofKey key: String) -> Completion {
        if key == "preferred" { return .values(targets) }
        let known = SettingCatalog.tables.lazy.flatMap { table in
            table.settings.map { (key: "\(table.name).\($0.key)", suggestions: $0.suggestions) }
        }
        guard let suggestions = known.first(where: { $0.key == key })?.suggestions else { return .free }
        return .values(suggestions.map { .init(value: $0.value, summary: $0.summary) })
    }

    /// What `--to` accepts.
    private var destinations: Completion {
        let builtIn = BuiltInExtension.all.filter { $0.kind != .rtmp }.map {
            Completion.Candidate(value: $0.name, summary: $0.description)
        }
        let addresses = [
            Completion.Candidate(value: "rtmp://", summary: "an RTMP server"),
            Completion.Candidate(value: "rtmps://", summary: "an RTMP server, with TLS"),
        ]
        return Completion(mode: .files, candidates: targets + builtIn + addresses)
    }

    /// The destinations of the configuration, the known services, and the extensions.
    private var targets: [Completion.Candidate] {
        let configured = (context?.configuration.destinations ?? []).map { destination in
            Completion.Candidate(value: destination.name, summary: destination.service ?? destination.kind.name)
        }
        let services = KnownService.all.map { Completion.Candidate(value: $0.name, summary: $0.title) }
        return configured + services + extensions
    }

    /// The installed extensions.
    private var extensions: [Completion.Candidate] {
        UserEnvironment().catalog.entries.compactMap { try? $0.manifest.get() }
            .map { Completion.Candidate(value: $0.name, summary: $0.description) }
    }

    /// The setup questions of the extension or destination on the line, as `key=`.
    private func questions(areSecret: Bool) -> [Completion.Candidate] {
        guard let name = line.positionals.first else { return [] }
        let questions: [(key: String, prompt: String, isSecret: Bool)]
        if line.command.commandName == "check-extension" {
            guard let folder = CheckExtensionCommand.folder(name, UserEnvironment().catalog),
                let manifest = ManifestFile.examine(folder: folder).manifest
            else { return [] }
            questions = manifest.questions.map { ($0.key, $0.prompt, false) }
        } else {
            guard let context, let target = try? setupTarget(name, context.configuration, context.user) else {
                return []
            }
            questions = target.questions.map { ($0.key, $0.prompt, $0.isSecret) }
        }
        return questions.filter { $0.isSecret == areSecret }.map {
            .init(value: areSecret ? $0.key : $0.key + "=", summary: $0.prompt)
        }
    }
}
