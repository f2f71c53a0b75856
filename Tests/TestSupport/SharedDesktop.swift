import Foundation

/// A Wayland desktop without a compositor: a session bus, PipeWire with its session manager, a screen cast
/// (`TestCast`), and a portal of any version that shares the cast (`Programs/portal.py`).
package struct SharedDesktop: Sendable {
    package let peers: Peers
    /// The session bus.
    package let bus: Peer
    package let pipeWire: Peer
    /// WirePlumber.
    package let sessionManager: Peer
    /// Nil if there is no portal.
    package let portal: Peer?
    /// `TestCast`; its commands are in `Tests/TestCast/Cast.swift`.
    package let cast: Peer
    /// What programs of the desktop find in their environment.
    package let environment: [String: String]

    /// The cast's node in PipeWire.
    package var node: UInt32 {
        let line = cast.standardOutput.split(separator: "\n").first { $0.contains("node ") }
        return line.flatMap { UInt32($0.split(separator: " ")[1]) } ?? 0
    }

    /// The address of the session bus.
    package var busAddress: String { environment["DBUS_SESSION_BUS_ADDRESS"] ?? "" }

    /// Starts everything, and waits until a stream can be connected.
    ///
    /// - Parameters:
    ///   - cast: the arguments of `TestCast` (`["--size", "640x360"]`).
    ///   - portal: the settings of the portal (`["version=2"]`); nil for no portal.
    nonisolated(nonsending) package static func start(
        cast arguments: [String] = [], portal settings: [String]? = [], in peers: Peers
    ) async throws -> SharedDesktop {
        let folder = try peers.makeFolder("desktop")
        let environment = environment(in: folder)
        let bus = try await startBus(environment, in: peers)
        let (pipeWire, sessionManager) = try await startPipeWire(environment, in: peers)
        let cast = try peers.start(
            "testcast", [try BuiltPrograms.path(of: "TestCast")] + arguments, environment: environment, input: .pipe)
        let node = try await cast.waitForOutputLine(containing: "node ").split(separator: " ")
        var portal: Peer?
        if let settings {
            // Debian's own Python: only that one has python3-gi.
            portal = try peers.start(
                "portal",
                ["/usr/bin/python3", "-u", program("portal.py"), "node=\(node[1])", "serial=\(node[2])"] + settings,
                environment: environment, input: .pipe)
            _ = try await portal?.waitForOutputLine(containing: "ready")
        }
        return SharedDesktop(
            peers: peers, bus: bus, pipeWire: pipeWire, sessionManager: sessionManager, portal: portal, cast: cast,
            environment: environment)
    }

    /// Sends commands to the cast, one after the other, and returns the answer to the last one.
    @discardableResult
    nonisolated(nonsending) package func send(_ commands: String...) async throws -> String {
        var answer = ""
        for command in commands {
            let count = lines(of: cast).count
            try await cast.write(Array((command + "\n").utf8))
            try await cast.wait(for: "the answer to \(command)") { lines(of: cast).count > count }
            answer = lines(of: cast).last ?? ""
            if answer == "late" || answer == "wrong" { throw PeerError.answer("\(command): \(answer)") }
        }
        return answer
    }

    /// Changes a setting of the portal (`answer=cancel`).
    nonisolated(nonsending) package func set(_ setting: String) async throws {
        guard let portal else { return }
        let count = asked("ok").count
        try await portal.write(Array((setting + "\n").utf8))
        try await portal.wait(for: "the answer to \(setting)") { asked("ok").count > count }
    }

    /// What the portal was asked, as lines that begin with `word`.
    package func asked(_ word: String) -> [String] { portal.map { lines(of: $0).filter { $0.hasPrefix(word) } } ?? [] }

    /// A `broadcast` in this desktop's session.
    package func broadcast(home: String? = nil) throws -> BroadcastCommand {
        var command = try BroadcastCommand(in: peers, home: home)
        command.environment["DBUS_SESSION_BUS_ADDRESS"] = busAddress
        command.environment["WAYLAND_DISPLAY"] = "wayland-0"
        command.environment["XDG_SESSION_TYPE"] = "wayland"
        return command
    }

    private func lines(of peer: Peer) -> [String] {
        peer.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The variables of a session whose bus, PipeWire and files are in a folder.
    static func environment(in folder: String) -> [String: String] {
        var environment = [
            "XDG_RUNTIME_DIR": folder, "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus", "HOME": folder,
        ]
        for (variable, name) in [
            ("XDG_CONFIG_HOME", "/config"), ("XDG_STATE_HOME", "/state"), ("XDG_DATA_HOME", "/data"),
            ("XDG_CACHE_HOME", "/cache"),
        ] {
            environment[variable] = folder + name
            try? FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
        }
        return environment
    }

    /// Starts a session bus on which nothing of the machine is started but what is in the folder `services`.
    nonisolated(nonsending) static func startBus(_ environment: [String: String], in peers: Peers) async throws -> Peer
    {
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        try FileManager.default.createDirectory(atPath: folder + "/services", withIntermediateDirectories: true)
        let configuration = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>unix:path=\(folder)/bus</listen><servicedir>\(folder)/services</servicedir>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
            """
        try configuration.write(toFile: folder + "/bus.conf", atomically: true, encoding: .utf8)
        let bus = try peers.start(
            "dbus-daemon", ["dbus-daemon", "--nofork", "--nopidfile", "--config-file=\(folder)/bus.conf"],
            environment: environment, folder: folder)
        try await bus.wait(for: "its socket") { listens(at: folder + "/bus") }
        return bus
    }

    /// Starts PipeWire and its session manager, and waits until streams can be connected.
    nonisolated(nonsending) static func startPipeWire(
        _ environment: [String: String], in peers: Peers
    ) async throws -> (pipeWire: Peer, sessionManager: Peer) {
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        try configureSessionManager(in: folder + "/config/wireplumber")
        let pipeWire = try peers.start("pipewire", ["pipewire"], environment: environment)
        try await pipeWire.wait(for: "its socket") { listens(at: folder + "/pipewire-0") }
        let sessionManager = try peers.start("wireplumber", ["wireplumber"], environment: environment)
        try await sessionManager.wait(for: "its metadata") {
            // Creating this object is its last step before it connects streams.
            try await peers.run("pw-cli", ["pw-cli", "ls", "Metadata"], environment: environment).contains(
                "metadata.name = \"default\"")
        }
        return (pipeWire, sessionManager)
    }

    package static func program(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Programs/" + name
    }

    /// WirePlumber connects streams and does nothing else: it looks for no sound cards and cameras, and for no
    /// Bluetooth devices, for which it would need logind.
    private static func configureSessionManager(in folder: String) throws {
        for (name, text) in [
            ("main.lua.d", "load_module(\"metadata\")\ndefault_access.enable()\n"), ("bluetooth.lua.d", "-- none\n"),
        ] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
            try text.write(toFile: folder + "/" + name + "/90-enable-all.lua", atomically: true, encoding: .utf8)
        }
    }
}
