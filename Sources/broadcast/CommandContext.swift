import FoundationEssentials

/// What every command works with: where files are, and what the config says.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration

    /// Reads the config. The environment is asked here and nowhere below.
    init() throws(CommandError) {
        paths = Paths(environment: ProcessInfo.processInfo.environment)
        configuration = try ConfigurationFile.load(paths.configFile)
    }
}
