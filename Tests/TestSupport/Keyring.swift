import Foundation

/// A session bus with GNOME Keyring on it: the real Secret Service, with an unlocked keyring of its own.
package struct Keyring: Sendable {
    /// dbus-daemon.
    package let bus: Peer
    /// gnome-keyring-daemon.
    package let daemon: Peer
    /// What a program needs to find it.
    package let environment: [String: String]
    private let peers: Peers
    private let home: String

    /// Starts both, and waits until the service is on the bus.
    ///
    /// - Parameters:
    ///   - home: where the keyring's files go.
    ///   - screen: where the keyring shows its dialogs; without one it cannot ask the user.
    nonisolated(nonsending) package static func start(in peers: Peers, home: String, screen: Xvfb? = nil) async throws
        -> Keyring
    {
        let folder = try peers.makeFolder("bus")
        let bus = try peers.start(
            "dbus-daemon",
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/socket"],
            // The dialog needs no accessibility services, which would start further processes.
            environment: (screen?.environment ?? [:]).merging(["HOME": home, "NO_AT_BRIDGE": "1"]) { $1 },
            folder: folder)
        try await bus.wait(for: "its socket") { listens(at: folder + "/socket") }
        let environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/socket"]
        let password = folder + "/password"
        try Self.password.write(toFile: password, atomically: false, encoding: .utf8)
        let daemon = try await startDaemon(
            ["--unlock"], input: .file(password), home: home, environment: environment, in: peers)
        return Keyring(bus: bus, daemon: daemon, environment: environment, peers: peers, home: home)
    }

    /// The password of the keyring.
    package static let password = "password"

    /// Ends the daemon and starts another one, which does not know the password, as after a login without one.
    nonisolated(nonsending) package func restarted() async throws -> Keyring {
        daemon.signal(SIGTERM)
        _ = try await daemon.waitForExit()
        let daemon = try await Self.startDaemon([], input: .nothing, home: home, environment: environment, in: peers)
        return Keyring(bus: bus, daemon: daemon, environment: environment, peers: peers, home: home)
    }

    private nonisolated(nonsending) static func startDaemon(
        _ arguments: [String], input: PeerInput, home: String, environment: [String: String], in peers: Peers
    ) async throws -> Peer {
        let daemon = try peers.start(
            "gnome-keyring-daemon", ["gnome-keyring-daemon", "--foreground", "--components=secrets"] + arguments,
            environment: environment.merging([
                "HOME": home, "XDG_DATA_HOME": home + "/data", "XDG_RUNTIME_DIR": home + "/run",
            ]) { $1 }, input: input)
        try await daemon.wait(for: "the Secret Service") {
            try await peers.run(
                "dbus-send",
                [
                    "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                    "org.freedesktop.DBus.NameHasOwner",
                    "string:org.freedesktop.secrets",
                ], environment: environment
            ).contains("boolean true")
        }
        return daemon
    }

    /// What libsecret's own tool says of the secrets with that attribute.
    nonisolated(nonsending) package func search(_ attribute: String, _ value: String) async throws -> String {
        let peer = try peers.start(
            "secret-tool", ["secret-tool", "search", "--all", attribute, value], environment: environment)
        _ = try await peer.waitForExit()
        return peer.standardOutput + peer.standardError
    }

    /// Locks the keyring, as a screen lock or a log-out may.
    nonisolated(nonsending) package func lock() async throws {
        // secret-tool of this age crashes when it is asked to lock.
        try await peers.run(
            "dbus-send",
            [
                "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
                "org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login",
            ], environment: environment)
    }
}
