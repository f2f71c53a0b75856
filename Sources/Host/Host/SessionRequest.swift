import Session
import Upload
import UserConfiguration

/// A session that a front end wants to run: the user's choices, merged over the configuration once, and what names or
/// describes the destinations. The command and programs make it alike, and `SessionHost` prepares it.
package struct SessionRequest: Sendable {
    /// The destinations of the start.
    package enum Destinations: Sendable {
        /// What the user names, as for `--to`; empty for the preferred destination.
        case named([String])
        /// What a program describes.
        case described([DescribedDestination])
    }

    /// The user's choices.
    package private(set) var settings: SessionSettings
    /// The user's configuration at the start.
    package let configuration: Configuration
    /// The choices merged over the configuration.
    package private(set) var session: SessionConfiguration
    package let destinations: Destinations
    /// The format for files and standard output that the user chose.
    package var format: ContainerFormat?
    /// True if files get the applications' sound and the microphone as separate tracks.
    package var separatesAudio = false
    /// The state of standard output.
    package var output = DestinationResolver.StandardOutput.usable
    /// The secrets of the destinations of the start. Destinations that are added later use those of the environment.
    package var secrets: any SecretSource
    /// True if the key of an RTMP address is among `secrets`, and not in the address.
    package var readsAddressKey = false
    private let environment: SessionEnvironment

    /// Merges the settings over the configuration, and checks every value.
    package init(
        _ settings: SessionSettings, over configuration: Configuration, destinations: Destinations,
        environment: SessionEnvironment
    ) throws(ConfigurationError) {
        self.settings = settings
        self.configuration = configuration
        session = try SessionConfiguration(settings, over: configuration)
        self.destinations = destinations
        self.environment = environment
        secrets = environment.secrets
    }

    // MARK: What the user has chosen meanwhile

    /// Selects the window that the user clicked, on the display that the settings name.
    package mutating func select(window: UInt) {
        if case .screen(let display, _) = settings.source {
            settings.source = .screen(display: display, .window(window))
        }
        guard case .screen(var screen) = session.media.picture else { return }
        screen.selection = .window(window)
        session.media.picture = .screen(screen)
    }

    /// Uses the choice that the user has made in the desktop's dialog, for a preview, without the dialog.
    package mutating func keepSharedChoice() {
        if case .portal(var request) = settings.source {
            request.asks = false
            settings.source = .portal(request)
        }
        guard case .portal(var request) = session.media.picture else { return }
        request.asks = false
        session.media.picture = .portal(request)
    }

    // MARK: Preparation

    /// Resolves the destinations of the start. This may query a keyring or the user.
    package func prepare(_ preparation: HostPreparation) throws(ConfigurationError) -> PreparedSession {
        var resolver = resolver(over: configuration, session, secrets, preparation)
        resolver.format = format
        resolver.output = output
        resolver.readsAddressKey = readsAddressKey
        let plans: [DestinationPlan]
        switch destinations {
        case .named(let targets):
            plans = try resolver.resolve(targets)
            // A program can use the same settings for any destinations.
            try settings.checkEffect(on: plans)
        case .described(let described): plans = try resolver.resolve(described: described)
        }
        return PreparedSession(
            configuration: session.keepingClips(for: plans), destinations: plans,
            watchURLs: plans.reduce(into: [:]) { $0[$1.name] = environment.watchURL(of: $1.name) },
            desktop: environment.desktopRequest(configuration.privacy))
    }

    /// Resolves a destination that is added to the running session, with the configuration as it is now.
    ///
    /// - Parameter folder: the path at which relative paths start; nil for the folder of this process.
    func resolve(_ target: String, in folder: String?, _ preparation: HostPreparation) throws(ConfigurationError)
        -> DestinationPlan
    {
        let current = try ConfigurationFile.load(environment.paths.configFile)
            .using(profile: configuration.profile)
        var resolver = resolver(
            over: current, try SessionConfiguration(settings, over: current), environment.secrets, preparation)
        if let folder { resolver.folder = folder }
        return try resolver.resolve(target)
    }

    private func resolver(
        over configuration: Configuration, _ session: SessionConfiguration, _ secrets: any SecretSource,
        _ preparation: HostPreparation
    ) -> DestinationResolver {
        var resolver = DestinationResolver(
            configuration: configuration, paths: environment.paths, secrets: secrets,
            catalog: ExtensionCatalog(folders: environment.paths.extensionFolders), session: session)
        resolver.separatesAudio = separatesAudio
        resolver.notice = preparation.notice
        resolver.isInterrupted = preparation.isStopWanted
        return resolver
    }
}

extension SessionConfiguration {
    /// Returns the same with a clip buffer if a destination needs it.
    fileprivate func keepingClips(for plans: [DestinationPlan]) -> SessionConfiguration {
        var configuration = self
        if media.clipBuffer == nil && plans.contains(where: { $0.kind == .clips }) {
            configuration.media.clipBuffer = SessionSettings.standardClipBuffer
        }
        return configuration
    }
}

extension SessionHost {
    /// Creates a host of the session that a front end requests.
    ///
    /// - Parameter request: makes the request. It runs on a separate thread after the host owns the name, and again for
    ///   each destination that is added later.
    package init(options: HostOptions, request: @escaping @Sendable () throws(ConfigurationError) -> SessionRequest) {
        self.init(
            options: options,
            prepare: { (preparation) throws(HostError) in
                try Self.reporting { () throws(ConfigurationError) in try request().prepare(preparation) }
            },
            resolve: { (target, folder, preparation) throws(HostError) in
                try Self.reporting { () throws(ConfigurationError) in
                    try request().resolve(target, in: folder, preparation)
                }
            })
    }

    private static func reporting<Value>(_ body: () throws(ConfigurationError) -> Value) throws(HostError) -> Value {
        do throws(ConfigurationError) {
            return try body()
        } catch {
            throw .configuration(error)
        }
    }
}
