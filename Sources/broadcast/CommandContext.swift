import FoundationEssentials

/// What every command works with: where files are, and what the config says.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration
    /// Whether a terminal, where there is one, can place its cursor.
    let hasCursor: Bool
    /// Where secrets are.
    let credentials: CredentialStore
    /// True where a desktop's session bus is there.
    let hasSessionBus: Bool

    /// True where the desktop is Wayland's: X11 sees little of it.
    let isWaylandSession: Bool

    /// Reads the config. The environment is asked here and nowhere below.
    init() throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        paths = Paths(environment: environment)
        hasCursor = !["", "dumb"].contains(environment["TERM"] ?? "")
        isWaylandSession = !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty || environment["XDG_SESSION_TYPE"] == "wayland"
        let service = SecretService(environment: environment)
        hasSessionBus = service.isBusThere
        credentials = CredentialStore(service: service, paths: paths)
        configuration = try ConfigurationFile.load(paths.configFile)
        try refuseUnknownExtensions()
    }

    /// The extensions that are programs of their own; reads their folders.
    var catalog: ExtensionCatalog { ExtensionCatalog(folders: paths.extensionFolders) }

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
