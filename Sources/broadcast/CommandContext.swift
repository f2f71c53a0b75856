import FoundationEssentials

/// What every command works with: where files are, and what the config says.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration
    /// Whether a terminal, where there is one, can place its cursor.
    let hasCursor: Bool
    /// True where the terminal is one that shows pictures in kitty's way.
    let terminalKnowsKittyGraphics: Bool
    /// Where secrets are.
    let credentials: CredentialStore
    /// True where a desktop's session bus is there.
    let hasSessionBus: Bool
    /// Where it is (D-Bus Specification, Server Addresses); nil where there is none.
    let sessionBusAddress: String?

    /// True where the desktop is Wayland's: X11 sees little of it.
    let isWaylandSession: Bool

    /// Where files are, for what is said to a session that runs: whatever the config says now, it can be stopped.
    static var paths: Paths { Paths(environment: ProcessInfo.processInfo.environment) }

    /// Reads the config. The environment is asked here and nowhere below.
    init() throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        paths = Self.paths
        hasCursor = !["", "dumb"].contains(environment["TERM"] ?? "")
        terminalKnowsKittyGraphics = KittyGraphics.isKnown(to: environment)
        isWaylandSession = !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty || environment["XDG_SESSION_TYPE"] == "wayland"
        let service = SecretService(environment: environment)
        hasSessionBus = service.isBusThere
        let named = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        sessionBusAddress = hasSessionBus ? named ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" } : nil
        credentials = CredentialStore(service: service, paths: paths)
        configuration = try ConfigurationFile.load(paths.configFile)
        try refuseUnknownExtensions()
        try refuseUnknownPreferred()
    }

    /// The extensions that are programs of their own; reads their folders.
    var catalog: ExtensionCatalog { ExtensionCatalog(folders: paths.extensionFolders) }

    /// What is started where nothing is named must be there, whatever is asked for.
    private func refuseUnknownPreferred() throws(CommandError) {
        guard let name = configuration.preferred else { return }
        let builtIn = BuiltInExtension.all.map(\.name).filter { $0 != "rtmp" }
        let known = configuration.destinations.map(\.name) + KnownService.all().map(\.name) + builtIn
        guard !known.contains(name) else { return }
        let catalog = self.catalog
        guard !catalog.entries.contains(where: { $0.answers(to: name) }) else { return }
        let all = known + catalog.names
        let hint = NearestName.of(name, among: all).map { "did you mean \($0)?" } ?? "known are \(all.joined(separator: ", "))."
        throw CommandError(
            .config, "\(configuration.path):\(configuration.preferredLine): preferred: there is no destination \"\(name)\"; \(hint)")
    }

    /// A destination with an extension that nobody knows is a slip in the config, whatever is asked for.
    private func refuseUnknownExtensions() throws(CommandError) {
        let foreign = configuration.destinations.filter { destination in !BuiltInExtension.all.contains { $0.name == destination.extensionName } }
        guard !foreign.isEmpty else { return }
        let catalog = self.catalog
        for destination in foreign where !catalog.entries.contains(where: { $0.answers(to: destination.extensionName) }) {
            let known = BuiltInExtension.all.map(\.name) + catalog.names
            let hint =
                NearestName.of(destination.extensionName, among: known).map { "did you mean \($0)?" } ?? "known are \(known.joined(separator: ", "))."
            throw CommandError(
                .config,
                "\(configuration.path):\(destination.extensionLine): destinations.\(destination.name).extension: there is no extension "
                    + "\"\(destination.extensionName)\"; \(hint)")
        }
    }
}
