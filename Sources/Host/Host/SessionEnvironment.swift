import Capture
import Credentials
import Desktop
import PortalCapture
import Processes
import UserConfiguration

/// What a session needs of its user: paths, secrets and the desktop, of the environment of a process.
package struct SessionEnvironment: Sendable {
    /// The variable of the environment with the password of the network's proxy.
    package static let proxyPasswordVariable = "BROADCAST_PROXY_PASSWORD"

    package let paths: Paths
    let secrets: any SecretSource
    /// The address of the session bus (D-Bus Specification, Server Addresses); nil without a session bus.
    let sessionBusAddress: String?
    /// The password of the network's proxy.
    package let proxyPassword: String?
    /// Nil if the session is not a Wayland session.
    package let waylandSession: WaylandSession?
    /// The Wayland display whose remembered choices count.
    package let waylandDisplay: String
    package let pipeWireSocket: String?
    private let waylandSocket: String?
    private let portalHelper: [String]?

    /// - Parameters:
    ///   - environment: the variables of the process.
    ///   - portalHelper: the program that talks to the desktop's portal, and its first arguments; nil to talk to it in
    ///     this process, whose memory must not be protected then.
    package init(
        paths: Paths, secrets: any SecretSource, sessionBusAddress: String?, environment: [String: String],
        portalHelper: [String]? = nil
    ) {
        self.paths = paths
        self.secrets = secrets
        self.sessionBusAddress = sessionBusAddress
        self.portalHelper = portalHelper
        proxyPassword = environment[Self.proxyPasswordVariable]
        waylandSession = WaylandSession(environment: environment)
        waylandDisplay = WaylandSession.display(environment["WAYLAND_DISPLAY"] ?? "")
        pipeWireSocket = WaylandSession.pipeWireSocket(environment: environment)
        waylandSocket = WaylandSession.waylandSocket(environment: environment)
    }

    /// Returns what the desktop's portal is asked for. The choice is remembered.
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

    /// Returns the address at which viewers can watch a destination, as reported by its setup; nil if it reported none.
    func watchURL(of destination: String) -> String? { SetupInformation(paths: paths).watchURL(of: destination) }

    /// Returns the requests to the desktop while a screen is broadcast; nil if there is no session bus. The link always
    /// watches the screen lock, also if notifications are not suppressed.
    func desktopRequest(_ privacy: Configuration.Privacy) -> DesktopLink.Request? {
        guard let sessionBusAddress else { return nil }
        // If the folder cannot be created, the desktop link reports that it cannot write its record.
        try? paths.prepareStateFolder()
        guard var request = Self.crashRequest(paths: paths, busAddress: sessionBusAddress) else { return nil }
        request.keepsAwake = privacy.keepAwake ?? true
        request.holdsNotifications = privacy.doNotDisturb ?? true
        return request
    }

    /// Returns the request to restore what a crashed broadcast has changed; nil without a session bus.
    package static func crashRequest(paths: Paths, busAddress: String?) -> DesktopLink.Request? {
        guard let busAddress else { return nil }
        return DesktopLink.Request(address: busAddress, recordPath: paths.stateFolder + "/do-not-disturb") {
            arguments in
            // The bus may have been found without the variable.
            let program = Program("env", arguments: ["env", "DBUS_SESSION_BUS_ADDRESS=\(busAddress)"] + arguments)
            guard let result = try? Command.run(program, deadline: .init(.milliseconds(800))), result.end == .exited(0)
            else { return nil }
            return String(decoding: result.output, as: UTF8.self)
        }
    }
}
