import Foundation

/// A Wayland desktop with a compositor: mutter with a virtual monitor and Xwayland, and the real xdg-desktop-portal
/// with a backend that answers by itself (`Programs/backend.py`).
///
/// It needs the packages mutter, xwayland and xdg-desktop-portal.
package struct MutterDesktop: Sendable {
    package let peers: Peers
    package let pipeWire: Peer
    package let sessionManager: Peer
    package let mutter: Peer
    package let backend: Peer
    /// xdg-desktop-portal.
    package let portal: Peer
    /// What programs of the desktop find in their environment, with the displays.
    package let environment: [String: String]

    /// Starts everything.
    nonisolated(nonsending) package static func start(width: Int, height: Int, in peers: Peers) async throws
        -> MutterDesktop
    {
        let folder = try peers.makeFolder("desktop")
        var environment = SharedDesktop.environment(in: folder)
        environment.merge([
            "XDG_CURRENT_DESKTOP": "test", "XDG_SESSION_TYPE": "wayland", "XDG_DESKTOP_PORTAL_DIR": folder + "/portals",
            "GSETTINGS_BACKEND": "memory",
            "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none",
        ]) { $1 }
        try configurePortal(in: folder)
        _ = try await SharedDesktop.startBus(environment, in: peers)
        let (pipeWire, sessionManager) = try await SharedDesktop.startPipeWire(environment, in: peers)
        // It runs a command once it is up, with the names of its displays in the environment, and ends with it.
        let script = "env > \"$0.part\"; mv \"$0.part\" \"$0\"; exec sleep infinity"
        let mutter = try peers.start(
            "mutter",
            [
                "mutter", "--headless", "--wayland", "--virtual-monitor", "\(width)x\(height)", "--", "sh", "-c",
                script, folder + "/displays",
            ],
            environment: environment)
        try await mutter.wait(for: "its displays") { FileManager.default.fileExists(atPath: folder + "/displays") }
        for line in try String(contentsOfFile: folder + "/displays", encoding: .utf8).split(separator: "\n") {
            for name in ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"] where line.hasPrefix(name + "=") {
                environment[name] = String(line.dropFirst(name.count + 1))
            }
        }
        let backend = try peers.start(
            "backend", ["/usr/bin/python3", "-u", SharedDesktop.program("backend.py")], environment: environment,
            input: .pipe)
        _ = try await backend.waitForOutputLine(containing: "ready")
        let portal = try peers.start("portal", ["/usr/libexec/xdg-desktop-portal"], environment: environment)
        try await portal.wait(for: "its name on the bus") { [environment] in
            try await peers.run(
                "gdbus",
                [
                    "gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method",
                    "org.freedesktop.DBus.NameHasOwner", "org.freedesktop.portal.Desktop",
                ], environment: environment
            ).contains("true")
        }
        return MutterDesktop(
            peers: peers, pipeWire: pipeWire, sessionManager: sessionManager, mutter: mutter, backend: backend,
            portal: portal,
            environment: environment)
    }

    /// Tells the backend something, and waits until it is done.
    nonisolated(nonsending) package func tell(_ command: String) async throws {
        let count = answers.count
        try await backend.write(Array((command + "\n").utf8))
        try await backend.wait(for: "the answer to \(command)") { answers.count > count }
        if let answer = answers.last, answer != "ok" { throw PeerError.answer("\(command): \(answer)") }
    }

    /// Paints a scene of `TestScreen` in a window without a frame that fills the monitor.
    @discardableResult
    nonisolated(nonsending) package func paint(_ scene: String, width: Int, height: Int) async throws -> Peer {
        try await PaintedScreen.start(
            [scene, "--undecorated", "--window", "\(width)x\(height)+0+0"], environment: environment, in: peers)
    }

    /// A `broadcast` in this desktop's session.
    package func broadcast() throws -> BroadcastCommand {
        var command = try BroadcastCommand(in: peers)
        for name in ["DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DISPLAY", "XAUTHORITY"] {
            command.environment[name] = environment[name]
        }
        return command
    }

    private var answers: [String] {
        backend.standardOutput.split(separator: "\n").map(String.init).filter { $0 == "ok" || $0.hasPrefix("wrong") }
    }

    /// The bus starts the portal's permission store, and the portal finds the backend.
    private static func configurePortal(in folder: String) throws {
        for name in ["/services", "/portals"] {
            try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
        }
        let store = "org.freedesktop.impl.portal.PermissionStore"
        try FileManager.default.copyItem(
            atPath: "/usr/share/dbus-1/services/\(store).service", toPath: "\(folder)/services/\(store).service")
        let portal = """
            [portal]
            DBusName=org.freedesktop.impl.portal.desktop.test
            Interfaces=org.freedesktop.impl.portal.ScreenCast;
            UseIn=test

            """
        try portal.write(toFile: folder + "/portals/test.portal", atomically: true, encoding: .utf8)
    }
}
