import FoundationEssentials

/// What every command works with: where files are, and what the config says.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration
    /// Whether a terminal, where there is one, can place its cursor.
    let hasCursor: Bool

    /// Reads the config. The environment is asked here and nowhere below.
    init() throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        paths = Paths(environment: environment)
        hasCursor = !["", "dumb"].contains(environment["TERM"] ?? "")
        configuration = try ConfigurationFile.load(paths.configFile)
    }
}
