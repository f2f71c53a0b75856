import Capture
import Credentials
import Desktop
import FoundationEssentials
import Glibc
import Host
import PortalCapture
import Processes
import RTMP
import Session
import Upload
import UserConfiguration
import WindowPrivacy

/// Makes a session from the user's configuration, extensions and secrets.
package struct KitContext: Sendable {
    let paths: Paths
    let secrets: CredentialStore
    /// The address of the session bus; nil without a session bus.
    let sessionBusAddress: String?
    /// The password of the network's proxy, from the environment.
    package let proxyPassword: String?
    /// Nil if the session is not a Wayland session.
    package let waylandSession: WaylandSession?
    /// The Wayland display whose remembered choices count.
    package let waylandDisplay: String
    private let pipeWireSocket: String?
    private let waylandSocket: String?
    private let portalHelper: [String]?

    /// - Parameter portalHelper: the program that talks to the desktop's portal, and its first arguments; nil to talk to it in
    ///   this process, whose memory must not be protected then.
    package init(
        paths: Paths, secrets: CredentialStore, sessionBusAddress: String?, environment: [String: String], portalHelper: [String]? = nil
    ) {
        self.portalHelper = portalHelper
        self.paths = paths
        self.secrets = secrets
        self.sessionBusAddress = sessionBusAddress
        proxyPassword = environment[Self.proxyPasswordVariable]
        waylandSession = WaylandSession(environment: environment)
        waylandDisplay = WaylandSession.display(environment["WAYLAND_DISPLAY"] ?? "")
        pipeWireSocket = WaylandSession.pipeWireSocket(environment: environment)
        waylandSocket = WaylandSession.waylandSocket(environment: environment)
    }

    /// The variable of the environment with the password of the network's proxy.
    package static let proxyPasswordVariable = "BROADCAST_PROXY_PASSWORD"

    /// Creates a context for a program other than `broadcast`. It queries the Secret Service with the installed `broadcast`.
    init(environment: [String: String]) {
        let paths = Paths(environment: environment)
        let programs = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/broadcast" }
        let service = SecretService(environment: environment, helper: programs.first(where: { access($0, X_OK) == 0 }))
        let named = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        let address = service.isBusThere ? named ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" } : nil
        self.init(
            paths: paths, secrets: CredentialStore(service: service, paths: paths), sessionBusAddress: address, environment: environment)
    }

    /// What the desktop's portal is asked for. The choice is remembered.
    package func portalRequest(_ choice: PortalChoice = .monitor) -> PortalRequest {
        // If the folder cannot be created, a notice says that the choice is not remembered.
        try? paths.prepareStateFolder()
        var request = PortalRequest(busAddress: sessionBusAddress, display: waylandDisplay)
        request.choice = choice
        request.pipeWireSocket = pipeWireSocket
        request.waylandSocket = waylandSocket
        request.choices = paths.rememberedChoices
        request.helper = portalHelper
        return request
    }

    /// Returns the request to restore what a crashed broadcast has changed; nil without a session bus.
    package static func crashRequest(paths: Paths, busAddress: String?) -> DesktopLink.Request? {
        guard let busAddress else { return nil }
        return DesktopLink.Request(address: busAddress, recordPath: paths.stateFolder + "/do-not-disturb") { arguments in
            let program = Program(arguments.first ?? "", arguments: arguments)
            guard let result = try? Command.run(program, deadline: .init(.milliseconds(800))), result.end == .exited(0) else { return nil }
            return String(decoding: result.output, as: UTF8.self)
        }
    }

    /// Returns the requests to the desktop while a screen is broadcast; nil if there is no session bus. The link always
    /// watches the screen lock, also if notifications are not suppressed.
    package func desktopRequest(_ privacy: Configuration.Privacy) -> DesktopLink.Request? {
        guard let sessionBusAddress else { return nil }
        // If the folder cannot be created, the desktop link reports that it cannot write its record.
        try? paths.prepareStateFolder()
        guard var request = Self.crashRequest(paths: paths, busAddress: sessionBusAddress) else { return nil }
        request.keepsAwake = privacy.keepAwake ?? true
        request.holdsNotifications = privacy.doNotDisturb ?? true
        return request
    }

    /// Returns the requests to the desktop of a program with these settings. A configuration that cannot be read counts as
    /// empty here, because `prepare` reports it.
    package func desktopRequest(_ settings: BroadcastSettings) -> DesktopLink.Request? {
        let configuration = settings.usesConfiguration ? try? ConfigurationFile.load(paths.configFile) : nil
        var privacy = configuration?.privacy ?? .unset
        if !settings.suppressesNotifications { privacy.doNotDisturb = false }
        return desktopRequest(privacy)
    }

    /// Makes the session of a program.
    package func prepare(
        _ settings: SessionSettings, _ destinations: [BroadcastDestination], usesConfiguration: Bool, _ preparation: HostPreparation
    ) throws(HostError) -> PreparedSession {
        let catalog = ExtensionCatalog(folders: paths.extensionFolders)
        var settings = settings
        settings.proxyPassword = proxyPassword
        do throws(ConfigurationError) {
            let user = try ConfigurationFile.load(paths.configFile)
            var base = user
            if !usesConfiguration {
                base = Configuration(path: user.path)
                base.destinations = user.destinations
                base.network = user.network
                base.proxyUser = user.proxyUser
            }
            var configuration = try SessionConfiguration(settings.withParsedRules(), over: base)
            var resolver = DestinationResolver(
                configuration: base, paths: paths, secrets: secrets, catalog: catalog, session: configuration)
            resolver.notice = preparation.notice
            resolver.isInterrupted = preparation.isStopWanted
            var plans: [DestinationPlan] = []
            for destination in destinations {
                var plan = try plan(destination, resolver, catalog, configuration)
                if case .named(let name) = destination.kind, plans.contains(where: { $0.name == name }) { throw .destination(.nameTwice(name)) }
                try DestinationResolver.check(plan, beside: plans)
                plan.makeNameUnique { name in plans.contains { $0.name == name } }
                plans.append(plan)
            }
            configuration.keepClips(for: plans)
            return PreparedSession(configuration: configuration, destinations: plans, watchURLs: watchURLs(of: plans))
        } catch {
            throw .configuration(error)
        }
    }

    private func plan(
        _ destination: BroadcastDestination, _ resolver: DestinationResolver, _ catalog: ExtensionCatalog, _ session: SessionConfiguration
    ) throws(ConfigurationError) -> DestinationPlan {
        switch destination.kind {
        case .named(let name): return try resolver.resolve(name)
        case .file(let path):
            let plan = DestinationPlan.file(name: URLName.last(path), path: path, format: ContainerFormat(ending: path) ?? .mp4)
            return try resolver.complete(plan, service: nil)
        case .rtmp(let address, let key):
            if session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
            let url = try url(address, key)
            return try resolver.complete(.rtmp(name: url.host, url: url, route: session.route), service: nil)
        case .service(let name, let key):
            guard let service = KnownService.named(name), let address = service.url else {
                throw .destination(.unknown(name, known: KnownService.all.map(\.name)))
            }
            if session.lacksProxyPassword { throw .destination(.proxyWithoutPassword) }
            var plan = DestinationPlan.rtmp(
                name: name, url: try url(address, key),
                backups: try service.backups.map { backup throws(ConfigurationError) in try url(backup, key) }, route: session.route)
            plan.limits = service.limits
            return try resolver.complete(plan, service: name)
        case .extension(let name, let setup):
            guard let manifest = try catalog.manifest(named: name) else { throw .destination(.unknown(name, known: catalog.names)) }
            if let missing = manifest.questions.first(where: { $0.isRequired && setup[$0.key] == nil }) {
                throw .destination(.notSetUp(name, question: missing.key, prompt: missing.prompt))
            }
            return try resolver.program(manifest, answers: setup)
        }
    }

    private func url(_ address: String, _ key: String?) throws(ConfigurationError) -> RTMPURL {
        do throws(RTMPURLError) {
            return try RTMPURL(address, streamKey: key)
        } catch {
            throw .destination(.notAnRTMPAddress(error, source: nil))
        }
    }

    /// Returns the addresses at which viewers can watch, as reported by the setup of these destinations.
    func watchURLs(of plans: [DestinationPlan]) -> [String: String] {
        let information = SetupInformation(paths: paths)
        return plans.reduce(into: [:]) { $0[$1.name] = information.watchURL(of: $1.name) }
    }
}

extension SessionSettings {
    /// Returns the settings with the parsed rules for hidden windows.
    func withParsedRules() throws(ConfigurationError) -> SessionSettings {
        var settings = self
        for text in hiddenWindowTexts {
            do throws(HiddenWindowRule.ParseError) {
                settings.hiddenWindows.append(try HiddenWindowRule(text))
            } catch {
                throw .fault(ConfigurationFault(path: "", line: 0, key: "hiddenWindows", problem: .notARule(text)))
            }
        }
        return settings
    }
}

extension SessionConfiguration {
    /// Turns the clip buffer on if a destination needs it.
    mutating func keepClips(for plans: [DestinationPlan]) {
        if clipBuffer == nil && plans.contains(where: { $0.kind == .clips }) { clipBuffer = SessionSettings.standardClipBuffer }
    }
}
