import Credentials
import Desktop
import Encode
import FoundationEssentials
import Host
import PortalCapture
import Presentation
import Terminal
import UserConfiguration

/// The paths, the stored secrets and the desktop of the user: what does not depend on the configuration. Only this file
/// reads the environment.
struct UserEnvironment {
    let paths: Paths
    let catalog: ExtensionCatalog
    let credentials: CredentialStore
    /// The features of the terminal, if there is one.
    let terminal: PreviewPicture.TerminalFeatures
    /// The address of the session bus (D-Bus Specification, Server Addresses); nil without a session bus.
    let sessionBusAddress: String?
    /// True in a Wayland session, where X11 can capture only the windows of Xwayland.
    var isWaylandSession: Bool { sessionEnvironment.waylandSession != nil }
    /// The names of the desktop, the most special one first.
    let desktops: [String]
    /// True if systemd started this process as the program of a unit (systemd.exec(5), SYSTEMD_EXEC_PID).
    let isSystemdUnit: Bool
    /// What a session needs of it.
    let sessionEnvironment: SessionEnvironment
    let secretService: SecretService
    let statusColours: StatusColours
    /// The editor of texts (environ(7)): a command that can have arguments; nil if none is set.
    let editor: String?
    /// Nil if systemd does not want to know how the program is.
    let serviceManager: ServiceManager?
    /// What starts with the login.
    let loginServices: LoginServices

    /// The variables of this process.
    static var variables: [String: String] { ProcessInfo.processInfo.environment }

    init() {
        let environment = Self.variables
        paths = CommandContext.paths
        catalog = ExtensionCatalog(folders: paths.extensionFolders)
        terminal = PreviewPicture.TerminalFeatures(
            hasCursor: !["", "dumb"].contains(environment["TERM"] ?? ""),
            knowsKittyGraphics: KittyGraphics.isKnown(to: environment))
        isSystemdUnit = environment["SYSTEMD_EXEC_PID"] == String(ProcessInfo.processInfo.processIdentifier)
        let service = SecretService(environment: environment, helper: "/proc/self/exe")
        secretService = service
        statusColours = StatusColours(environment: environment)
        desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map(String.init)
        editor = [environment["VISUAL"], environment["EDITOR"]].compactMap(\.self).first { !$0.isEmpty }
        serviceManager = ServiceManager(environment: environment)
        loginServices = LoginServices(environment: environment, program: Paths.program ?? CommandLine.arguments[0])
        sessionBusAddress = service.isBusThere ? SecretService.busAddress(environment) : nil
        credentials = CredentialStore(service: service, paths: paths)
        sessionEnvironment = SessionEnvironment(
            paths: paths, secrets: credentials, sessionBusAddress: sessionBusAddress, environment: environment,
            portalHelper: PortalHelper.command)
    }
}

/// The environment of the user and the configuration. Commands that do not need the configuration use a
/// `UserEnvironment`, so that they work if it is invalid.
struct CommandContext {
    let user: UserEnvironment
    let configuration: Configuration

    var paths: Paths { user.paths }
    var catalog: ExtensionCatalog { user.catalog }
    var credentials: CredentialStore { user.credentials }
    var terminal: PreviewPicture.TerminalFeatures { user.terminal }
    var sessionBusAddress: String? { user.sessionBusAddress }
    var isWaylandSession: Bool { user.isWaylandSession }
    var isSystemdUnit: Bool { user.isSystemdUnit }
    var sessionEnvironment: SessionEnvironment { user.sessionEnvironment }

    /// The paths, without the configuration: commands for a running session work even if the configuration is invalid.
    static var paths: Paths { Paths(environment: ProcessInfo.processInfo.environment) }

    /// The session that `BROADCAST_SESSION` names, for commands without `--session`; nil if it is empty or not set.
    static var sessionName: String? {
        ProcessInfo.processInfo.environment["BROADCAST_SESSION"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Reads and checks the configuration.
    ///
    /// - Parameter profile: the profile whose settings are used; nil for none.
    init(profile: String? = nil) throws(CommandError) {
        user = UserEnvironment()
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile.load(user.paths.configFile).using(profile: profile)
            try configuration.check(with: user.catalog)
        } catch {
            throw CommandError(error)
        }
    }

    /// Says which broadcasts have ended by themselves, or crashed, and restores the notifications that they left off.
    /// Every command does that first.
    static func cleanUpAfterCrash() {
        // A script asks for JSON, and nobody reads its standard error.
        if !CommandLine.arguments.contains("--json") {
            for ending in SessionEnding.takeAll(at: Date(), paths) {
                Output.note("broadcast: " + ResultLine.ended(ending.session, at: ending.time, ending.reason))
            }
        }
        for name in RunningSession.removeAbandoned(paths) { Output.note("broadcast: " + ResultLine.abandoned(name)) }
        let environment = ProcessInfo.processInfo.environment
        guard
            let request = SessionEnvironment.crashRequest(
                paths: paths, busAddress: SecretService.busAddress(environment))
        else { return }
        guard DesktopLink.restoreAfterCrash(request) else { return }
        Output.note("broadcast: A broadcast ended without cleaning up: notifications were still off, and are on again.")
    }

    /// What a broadcast of the screen shares in a Wayland session; nil in an X11 session.
    var sharedMonitor: SharedMonitor? {
        sessionEnvironment.waylandSession.map { SharedMonitor(paths.rememberedChoices.choice(for: $0.display)) }
    }

    var hasSessionBus: Bool { sessionBusAddress != nil }

    /// The destinations that can be started by name.
    ///
    /// - Parameter preferred: overrides the configuration's.
    func destinations(preferred: String?) -> DestinationList {
        let names = configuration.destinations.map(\.name) + KnownService.all.map(\.name) + catalog.names
        return DestinationList(
            configuration: configuration, catalog: catalog, preferred: preferred,
            signedIn: credentials.destinations(among: names),
            hasSecret: { key, destination in credentials.has(key, of: destination) },
            missingPrograms: configuration.missingKeyPrograms, information: SetupInformation(paths: paths))
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
