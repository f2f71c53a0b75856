import Foundation
import Synchronization

/// A PulseAudio daemon of the test's own, with null sinks and nothing else: no D-Bus, no hardware, no files of the
/// user.
package final class PulseServer: Sendable {
    /// One null sink; an app's sound is recorded from its monitor, `NAME.monitor`. The first one is the default.
    package struct NullSink: Sendable {
        /// The sink's name.
        package var name: String
        /// Samples a second.
        package var rate: Int

        /// A sink of that name and rate.
        package init(_ name: String, rate: Int = 48_000) {
            self.name = name
            self.rate = rate
        }
    }

    /// What its clients need: PULSE_SERVER, and the paths that keep libpulse away from the user's own.
    package let environment: [String: String]
    private let peers: Peers
    private let folder: String
    private let command: [String]
    private let current: Mutex<Peer>

    /// The daemon that runs now, or ran last.
    package var peer: Peer { current.withLock { $0 } }

    private init(peers: Peers, folder: String, sinks: [NullSink]) throws {
        let socket = folder + "/native"
        environment = [
            "PULSE_SERVER": "unix:" + socket, "PULSE_COOKIE": folder + "/cookie",
            "PULSE_RUNTIME_PATH": folder + "/runtime",
            "PULSE_STATE_PATH": folder + "/state", "XDG_RUNTIME_DIR": folder, "HOME": folder,
        ]
        // Without rewinds the sinks render 50 ms at a time, as hardware does, and not the two seconds in which their
        // latency is anybody's guess.
        command =
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no",
                "--high-priority=no",
            ]
            + ["-L", "module-native-protocol-unix auth-anonymous=1 socket=\(socket)"]
            + sinks.flatMap { ["-L", "module-null-sink sink_name=\($0.name) rate=\($0.rate) norewinds=1"] }
        self.peers = peers
        self.folder = folder
        current = Mutex(try Self.launch(peers, command, environment, folder))
    }

    /// PipeWire's server for clients of PulseAudio, started in `environment`.
    private init(peers: Peers, folder: String, pipeWire environment: [String: String]) throws {
        self.environment = ["PULSE_SERVER": "unix:\(folder)/pulse/native", "XDG_RUNTIME_DIR": folder, "HOME": folder]
        self.peers = peers
        self.folder = folder
        command = ["pipewire-pulse"]
        current = Mutex(try peers.start("pipewire-pulse", command, environment: environment, folder: folder))
    }

    /// Starts one and waits until it answers. The name appears in its folder's path.
    nonisolated(nonsending) package static func start(
        in peers: Peers, sinks: [NullSink] = [NullSink("app")], name: String = "pulse"
    ) async throws -> PulseServer {
        let server = try PulseServer(peers: peers, folder: try peers.makeFolder(name), sinks: sinks)
        try await server.waitUntilItAnswers()
        return server
    }

    /// Starts PipeWire with its session manager and its server for clients of PulseAudio, with one null sink `app`, and
    /// waits until it is the default.
    nonisolated(nonsending) package static func startPipeWire(in peers: Peers) async throws -> PulseServer {
        let folder = try peers.makeFolder("pipewire")
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        // The session manager ends where there is no session bus.
        let bus = try peers.start(
            "dbus-daemon",
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus"], folder: folder
        )
        try await bus.wait(for: "its socket") { listens(at: folder + "/bus") }
        let own = [
            "XDG_RUNTIME_DIR": folder, "PIPEWIRE_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder,
            "XDG_CONFIG_HOME": folder, "HOME": folder,
        ]
        let all = own.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus"]) { $1 }
        let pipeWire = try peers.start("pipewire", ["pipewire"], environment: all, folder: folder)
        try await pipeWire.wait(for: "its socket") { listens(at: folder + "/pipewire-0") }
        _ = try peers.start("wireplumber", ["wireplumber"], environment: all, folder: folder)
        let server = try PulseServer(peers: peers, folder: folder, pipeWire: all)
        try await server.waitUntilItAnswers()
        try await server.control(["load-module", "module-null-sink", "sink_name=app"])
        try await server.peer.wait(for: "the sink to be the default") {
            // PipeWire answers "Not supported" until the session manager has created its metadata.
            _ = try? await server.control(["set-default-sink", "app"])
            return try await server.control(["info"]).contains("Default Sink: app\n")
        }
        return server
    }

    /// Kills it at once, as a crash would.
    nonisolated(nonsending) package func kill() async throws {
        try await peer.killNow()
    }

    /// Starts it again at the same socket after `kill()`, and waits until it answers.
    nonisolated(nonsending) package func restart() async throws {
        let peer = try Self.launch(peers, command, environment, folder)
        current.withLock { $0 = peer }
        try await waitUntilItAnswers()
    }

    /// Runs `pactl` against it (`["suspend-sink", "app", "1"]`) and gives what it prints.
    @discardableResult
    nonisolated(nonsending) package func control(_ arguments: [String]) async throws -> String {
        try await peers.run("pactl", ["pactl"] + arguments, environment: environment)
    }

    private static func launch(_ peers: Peers, _ command: [String], _ environment: [String: String], _ folder: String)
        throws -> Peer
    {
        // Without an address of the session bus, libdbus would try to start one.
        try peers.start(
            "pulseaudio", command, environment: environment.merging(["DBUS_SESSION_BUS_ADDRESS": "disabled:"]) { $1 },
            folder: folder)
    }

    private nonisolated(nonsending) func waitUntilItAnswers() async throws {
        let server = peer
        if let socket = environment["PULSE_SERVER"]?.dropFirst("unix:".count) {
            try await server.wait(for: "its socket") { listens(at: String(socket)) }
        }
        try await server.wait(for: "its answer") {
            let client = try peers.start("pactl", ["pactl", "info"], environment: environment)
            return try await client.waitForExit() == .exited(0)
        }
    }
}
