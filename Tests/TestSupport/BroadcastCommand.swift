import Foundation

/// The built `broadcast`, with a home of its own: it sees no file, bus or server of the user.
package struct BroadcastCommand: Sendable {
    /// What a run that has ended leaves.
    package struct Result: Sendable {
        /// How it ended.
        package let status: ExitStatus
        /// What it wrote on standard output.
        package let output: String
        /// What it wrote on standard error.
        package let errors: String

        package init(status: ExitStatus, output: String, errors: String) {
            self.status = status
            self.output = output
            self.errors = errors
        }
    }

    /// The program's path.
    package let binary: String
    /// $HOME, an absolute path; the XDG folders lie below it.
    package let home: String
    /// All that the program gets besides PATH and LANG. Change it before `start`.
    package var environment: [String: String]
    private let peers: Peers

    /// A command that sees that display (`:7`) and sound server, if any. Commands with the same `home` share their
    /// sessions.
    package init(in peers: Peers, display: String? = nil, pulse: PulseServer? = nil, home: String? = nil) throws {
        self.peers = peers
        binary = try BuiltPrograms.path(of: "broadcast")
        let folder = try home ?? peers.makeFolder("home")
        self.home = folder
        // Without these, a server of the machine itself would be found.
        var environment = ["DBUS_SESSION_BUS_ADDRESS": "disabled:", "PULSE_SERVER": "unix:/nonexistent"]
        environment.merge(pulse?.environment ?? [:]) { $1 }
        if let display { environment["DISPLAY"] = display }
        for (variable, name) in [
            ("HOME", ""), ("XDG_CONFIG_HOME", "/config"), ("XDG_DATA_HOME", "/data"), ("XDG_STATE_HOME", "/state"),
            ("XDG_CACHE_HOME", "/cache"),
            ("XDG_RUNTIME_DIR", "/run"), ("XDG_VIDEOS_DIR", "/Videos"),
        ] {
            environment[variable] = folder + name
            try FileManager.default.createDirectory(
                atPath: folder + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        self.environment = environment
    }

    /// Starts it; the peer gives its output, signals and end.
    package func start(_ arguments: [String], input: PeerInput = .nothing, output: PeerOutput = .file) throws -> Peer {
        try peers.start("broadcast", [binary] + arguments, environment: environment, input: input, output: output)
    }

    /// Runs it to its end, whatever its status.
    nonisolated(nonsending) package func run(
        _ arguments: [String], input: PeerInput = .nothing, deadline: Duration = .seconds(30)
    ) async throws -> Result {
        let peer = try start(arguments, input: input)
        let status = try await peer.waitForExit(deadline: deadline)
        return Result(status: status, output: peer.standardOutput, errors: peer.standardError)
    }

    /// Runs it to its end with that text on standard input, through a pipe.
    nonisolated(nonsending) package func run(_ arguments: [String], reading text: String) async throws -> Result {
        let peer = try start(arguments, input: .pipe)
        try await peer.write(Array(text.utf8))
        peer.closeInput()
        let status = try await peer.waitForExit()
        return Result(status: status, output: peer.standardOutput, errors: peer.standardError)
    }

    /// Writes the configuration file.
    package func writeConfiguration(_ text: String) throws {
        let folder = home + "/config/broadcast"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try text.write(toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
    }
}
