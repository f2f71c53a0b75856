import Capture
import Credentials
import FoundationEssentials
import Glibc
import Host
import PortalCapture
import UserConfiguration
import WindowPrivacy

/// The user's paths, secrets and desktop, of the environment of a process.
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

    /// - Parameter portalHelper: the program that talks to the desktop's portal, and its first arguments; nil to talk
    ///   to it in this process, whose memory must not be protected then.
    package init(
        paths: Paths, secrets: CredentialStore, sessionBusAddress: String?, environment: [String: String],
        portalHelper: [String]? = nil
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

    /// Creates a context for a program other than `broadcast`. It queries the Secret Service with the installed
    /// `broadcast`.
    init(environment: [String: String]) {
        let paths = Paths(environment: environment)
        let programs = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/broadcast" }
        let service = SecretService(environment: environment, helper: programs.first(where: { access($0, X_OK) == 0 }))
        self.init(
            paths: paths, secrets: CredentialStore(service: service, paths: paths),
            sessionBusAddress: service.isBusThere ? SecretService.busAddress(environment) : nil,
            environment: environment)
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

    /// What the host needs to prepare a session.
    package var sessionEnvironment: SessionEnvironment {
        SessionEnvironment(
            paths: paths, secrets: secrets, watchURL: { [paths] in SetupInformation(paths: paths).watchURL(of: $0) },
            sessionBusAddress: sessionBusAddress)
    }

    /// Reads the user's configuration, and makes the request for the session of a program.
    ///
    /// - Parameters:
    ///   - sessionSettings: made of the content, the sound and the settings of the program.
    ///   - settings: what the configuration is used for.
    package func request(
        _ sessionSettings: SessionSettings, _ destinations: [BroadcastDestination], _ settings: BroadcastSettings
    ) throws(ConfigurationError) -> SessionRequest {
        let user = try ConfigurationFile.load(paths.configFile)
        var configuration = user
        if !settings.usesConfiguration {
            configuration = Configuration(path: user.path)
            configuration.destinations = user.destinations
            configuration.settings.network = user.settings.network
        }
        if !settings.suppressesNotifications { configuration.settings.privacy.doNotDisturb = false }
        var sessionSettings = try sessionSettings.withParsedRules()
        sessionSettings.proxyPassword = proxyPassword
        return try SessionRequest(
            sessionSettings, over: configuration, destinations: .described(destinations.map(\.described)),
            environment: sessionEnvironment)
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
