import BroadcastKit
import Credentials
import Desktop
import Encode
import FoundationEssentials
import Presentation
import Terminal
import UserConfiguration

/// The paths, the configuration and the desktop connections that every command uses. Only this type reads the
/// environment.
struct CommandContext {
    let paths: Paths
    let configuration: Configuration
    let catalog: ExtensionCatalog
    let credentials: CredentialStore
    /// The features of the terminal, if there is one.
    let terminal: PreviewPicture.TerminalFeatures
    /// The address of the session bus (D-Bus Specification, Server Addresses); nil without a session bus.
    let sessionBusAddress: String?
    /// The password of the network's proxy.
    let proxyPassword: String?
    /// True in a Wayland session, where X11 can capture only the windows of Xwayland.
    let isWaylandSession: Bool

    /// The paths, without the configuration: commands for a running session work even if the configuration is invalid.
    static var paths: Paths { Paths(environment: ProcessInfo.processInfo.environment) }

    /// Reads and checks the configuration.
    init() throws(CommandError) {
        let environment = ProcessInfo.processInfo.environment
        paths = Self.paths
        proxyPassword = environment[KitContext.proxyPasswordVariable]
        terminal = PreviewPicture.TerminalFeatures(
            hasCursor: !["", "dumb"].contains(environment["TERM"] ?? ""), knowsKittyGraphics: KittyGraphics.isKnown(to: environment))
        isWaylandSession = !(environment["WAYLAND_DISPLAY"] ?? "").isEmpty || environment["XDG_SESSION_TYPE"] == "wayland"
        let service = SecretService(environment: environment, helper: "/proc/self/exe")
        let named = environment["DBUS_SESSION_BUS_ADDRESS"].flatMap { $0.isEmpty ? nil : $0 }
        sessionBusAddress = service.isBusThere ? named ?? environment["XDG_RUNTIME_DIR"].map { "unix:path=\($0)/bus" } : nil
        credentials = CredentialStore(service: service, paths: paths)
        catalog = ExtensionCatalog(folders: paths.extensionFolders)
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile.load(paths.configFile)
            try configuration.check(with: catalog)
        } catch {
            throw CommandError(error)
        }
    }

    var hasSessionBus: Bool { sessionBusAddress != nil }

    /// The destinations that can be started by name.
    ///
    /// - Parameter preferred: overrides the configuration's.
    func destinations(preferred: String?) -> DestinationList {
        let names = configuration.destinations.map(\.name) + KnownService.all.map(\.name) + catalog.names
        let missing = configuration.destinations.compactMap { destination in
            destination.keyCommand.flatMap { KeyCommand(command: $0, destination: destination.name).missingProgram }.map { (destination.name, $0) }
        }
        return DestinationList(
            configuration: configuration, catalog: catalog, preferred: preferred, signedIn: credentials.destinations(among: names),
            missingPrograms: Dictionary(missing) { first, _ in first }, information: SetupInformation(paths: paths))
    }

    /// The requests of a screen broadcast to the desktop; nil if there is no session bus.
    var desktopRequest: DesktopLink.Request? { kitContext.desktopRequest(configuration.privacy) }

    var kitContext: KitContext {
        KitContext(paths: paths, secrets: credentials, sessionBusAddress: sessionBusAddress, proxyPassword: proxyPassword)
    }
}

/// Runs `body` and turns its error into a sentence and an exit status.
func presenting<Value>(_ body: () throws(ConfigurationError) -> Value) throws(CommandError) -> Value {
    do throws(ConfigurationError) {
        return try body()
    } catch {
        throw CommandError(error)
    }
}

/// Runs `body` and turns its error into a sentence and an exit status.
func presentingProblem<Value>(_ body: () throws(CredentialProblem) -> Value) throws(CommandError) -> Value {
    do throws(CredentialProblem) {
        return try body()
    } catch {
        throw CommandError(error)
    }
}
