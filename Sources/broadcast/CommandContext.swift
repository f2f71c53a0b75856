import FoundationEssentials

/// What every command works with: where files are, and what the config says.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration
    /// Where secrets are.
    let credentials: CredentialStore
    /// True where a desktop's session bus is there.
    let hasSessionBus: Bool

    /// Reads the config. The environment is asked here and nowhere below.
    init() throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        paths = Paths(environment: environment)
        let service = SecretService(environment: environment)
        hasSessionBus = service.isBusThere
        credentials = CredentialStore(service: service, paths: paths)
        configuration = try ConfigurationFile.load(paths.configFile)
    }
}
