import Credentials
import Host
import Session
import Upload
import UserConfiguration

/// The additions for the `broadcast` command: names from a command line, a control socket, and a log.
extension BroadcastController {
    /// Creates a controller for a command line.
    ///
    /// - Parameters:
    ///   - configuration: the user's configuration at the start of the command.
    ///   - targets: the names of destinations on the command line; empty for the preferred one.
    ///   - output: the state of standard output.
    ///   - handed: secrets of `targets` that are already known: those that the parent of a detached session has resolved, and
    ///     the key of an address.
    ///   - readsAddressKey: true if the key of an RTMP address is among these secrets, and not in the address.
    package convenience init(
        options: HostOptions, settings: SessionSettings, configuration: Configuration, targets: [String], format: ContainerFormat?,
        separatesAudio: Bool, output: DestinationResolver.StandardOutput, handed: HandedSecrets?,
        readsAddressKey: Bool = false, context: KitContext
    ) {
        let first: any SecretSource = handed.map { HandedSecretSource($0, otherwise: context.secrets) } ?? context.secrets
        let resolver = {
            @Sendable (configuration: Configuration, secrets: any SecretSource, preparation: HostPreparation) throws(ConfigurationError)
                -> DestinationResolver in
            let session = try SessionConfiguration(settings, over: configuration)
            var resolver = DestinationResolver(
                configuration: configuration, paths: context.paths, secrets: secrets,
                catalog: ExtensionCatalog(folders: context.paths.extensionFolders), session: session)
            resolver.separatesAudio = separatesAudio
            resolver.notice = preparation.notice
            resolver.isInterrupted = preparation.isStopWanted
            return resolver
        }
        self.init(options: options, context: context) { preparation throws(HostError) in
            do throws(ConfigurationError) {
                var resolver = try resolver(configuration, first, preparation)
                resolver.format = format
                resolver.output = output
                resolver.readsAddressKey = readsAddressKey
                let plans = try resolver.resolve(targets)
                try settings.checkEffect(on: plans)
                var session = try SessionConfiguration(settings, over: configuration)
                session.keepClips(for: plans)
                return PreparedSession(configuration: session, destinations: plans, watchURLs: context.watchURLs(of: plans))
            } catch {
                throw .configuration(error)
            }
        } resolve: { target, folder, preparation throws(HostError) in
            do throws(ConfigurationError) {
                // Read the current configuration, which can differ from the one at the start.
                let current = try ConfigurationFile.load(context.paths.configFile)
                var resolver = try resolver(current, context.secrets, preparation)
                if let folder { resolver.folder = folder }
                return try resolver.resolve(target)
            } catch {
                throw .configuration(error)
            }
        }
    }

    /// The events of the host, for one reader. Do not read `events` then.
    package var hostEvents: AsyncStream<HostEvent> { host.events }

    /// Starts the session. Returns when each destination is live or over. Use it with `hostEvents` and `outcome` instead of
    /// `start`.
    package func begin() async throws(HostError) {
        try await host.start()
    }

    /// Requests the end of the session. Thread-safe. Returns at once.
    package func requestStop() {
        host.requestStop()
    }

    package func outcome() async throws(HostError) -> HostOutcome {
        try await host.ended()
    }

    /// The state and figures of the session; nil before the session is made.
    package var snapshot: SessionSnapshot? { host.session?.snapshot() }
}
