import Foundation

/// A session bus with dunst on it: a real notification service, which prints what it shows.
package struct NotificationDaemon: Sendable {
    /// dunst.
    package let daemon: Peer
    /// What a program needs to find it.
    package let environment: [String: String]
    private let peers: Peers
    private let screen: Xvfb
    /// Its home, an absolute path, with its dunstrc.
    private let folder: String

    /// Starts both, and waits until the service is on the bus. `configuration` is what a dunstrc says.
    nonisolated(nonsending) package static func start(in peers: Peers, on screen: Xvfb, configuration: String = "")
        async throws -> NotificationDaemon
    {
        let folder = try peers.makeFolder("bus")
        let bus = try peers.start(
            "dbus-daemon",
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/socket"],
            folder: folder)
        try await bus.wait(for: "its socket") { listens(at: folder + "/socket") }
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/socket"]
        try configuration.write(toFile: folder + "/dunstrc", atomically: false, encoding: .utf8)
        return try await start(in: peers, on: screen, environment: environment, folder: folder)
    }

    /// Starts dunst once more on the same bus, and waits until the service is there. The one before it must have ended.
    nonisolated(nonsending) package func restarted() async throws -> NotificationDaemon {
        try await Self.start(in: peers, on: screen, environment: environment, folder: folder)
    }

    /// Starts dunst on the bus that `environment` tells of. `folder` is its home, with its dunstrc.
    private nonisolated(nonsending) static func start(
        in peers: Peers, on screen: Xvfb, environment: [String: String], folder: String
    ) async throws -> NotificationDaemon {
        let daemon = try peers.start(
            "dunst", ["dunst", "-conf", folder + "/dunstrc", "-print"],
            environment: environment.merging(screen.environment) { $1 }.merging(["HOME": folder]) { $1 })
        try await daemon.wait(for: "the notification service") {
            try await peers.run(
                "dbus-send",
                [
                    "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                    "org.freedesktop.DBus.NameHasOwner",
                    "string:org.freedesktop.Notifications",
                ], environment: environment
            ).contains("boolean true")
        }
        return NotificationDaemon(
            daemon: daemon, environment: environment, peers: peers, screen: screen, folder: folder)
    }
}
