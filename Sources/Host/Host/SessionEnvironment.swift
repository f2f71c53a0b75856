import Desktop
import Processes
import UserConfiguration

/// What the preparation of a session needs of the user's environment, which the front end has read.
package struct SessionEnvironment: Sendable {
    let paths: Paths
    let secrets: any SecretSource
    /// Returns the address at which viewers can watch a destination, as reported by its setup; nil if it reported none.
    let watchURL: @Sendable (String) -> String?
    /// The address of the session bus (D-Bus Specification, Server Addresses); nil without a session bus.
    let sessionBusAddress: String?

    package init(
        paths: Paths, secrets: any SecretSource, watchURL: @escaping @Sendable (String) -> String?,
        sessionBusAddress: String?
    ) {
        self.paths = paths
        self.secrets = secrets
        self.watchURL = watchURL
        self.sessionBusAddress = sessionBusAddress
    }

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
            let program = Program(arguments.first ?? "", arguments: arguments)
            guard let result = try? Command.run(program, deadline: .init(.milliseconds(800))), result.end == .exited(0)
            else { return nil }
            return String(decoding: result.output, as: UTF8.self)
        }
    }
}
