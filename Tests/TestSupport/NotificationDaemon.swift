import Foundation

/// A session bus with dunst on it: a real notification service, which prints what it shows.
package struct NotificationDaemon: Sendable {
    /// dunst.
    package let daemon: Peer
    /// What a program needs to find it.
    package let environment: [String: String]

    /// Starts both, and waits until the service is on the bus. `configuration` is what a dunstrc says.
    nonisolated(nonsending) package static func start(in peers: Peers, on screen: Xvfb, configuration: String = "") async throws -> NotificationDaemon
    {
        let folder = try peers.makeFolder("bus")
        let bus = try peers.start(
            "dbus-daemon", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/socket"], folder: folder)
        try await bus.wait(for: "its socket") { FileManager.default.fileExists(atPath: folder + "/socket") }
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/socket"]
        let file = folder + "/dunstrc"
        try configuration.write(toFile: file, atomically: false, encoding: .utf8)
        let daemon = try peers.start(
            "dunst", ["dunst", "-conf", file, "-print"],
            environment: environment.merging(screen.environment) { $1 }.merging(["HOME": folder]) { $1 })
        try await daemon.wait(for: "the notification service") {
            try await peers.run(
                "dbus-send",
                [
                    "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
                    "string:org.freedesktop.Notifications",
                ], environment: environment
            ).contains("boolean true")
        }
        return NotificationDaemon(daemon: daemon, environment: environment)
    }
}
