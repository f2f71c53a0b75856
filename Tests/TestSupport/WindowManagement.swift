import Foundation

/// What manages the windows of a test's screen.
package enum WindowManagement: String, Sendable, CaseIterable {
    /// Nobody: every window lies right below the root window.
    case bare
    /// openbox puts each window into a frame.
    case openbox
    /// openbox, and picom, which composes the screen with shadows and lets windows fade in and out.
    case openboxAndPicom

    /// Starts it, and waits until it has taken its place. Returns the compositor, if there is one.
    @discardableResult
    nonisolated(nonsending) package func start(on screen: Xvfb, in peers: Peers) async throws -> Peer? {
        guard self != .bare else { return nil }
        let folder = try peers.makeFolder("desktop")
        // Without these, openbox and picom would read the user's settings.
        let environment = screen.environment.merging([
            "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_CACHE_HOME": folder,
            "DBUS_SESSION_BUS_ADDRESS": "disabled:",
        ]) { $1 }
        // Its word on the root window comes before it looks at windows: those that are mapped meanwhile are overlooked.
        let ready = folder + "/managed"
        let openbox = try peers.start(
            "openbox", ["openbox", "--sm-disable", "--startup", "touch \(ready)"], environment: environment)
        try await openbox.wait(for: "its start") { FileManager.default.fileExists(atPath: ready) }
        guard self == .openboxAndPicom else { return nil }
        let pidFile = folder + "/picom.pid"
        let picom = try peers.start(
            "picom",
            [
                "picom", "--backend", "xrender", "--fading", "--shadow", "--config", "/dev/null", "--write-pid-path",
                pidFile,
            ],
            environment: environment)
        try await picom.wait(for: "its start") { FileManager.default.fileExists(atPath: pidFile) }
        return picom
    }
}
