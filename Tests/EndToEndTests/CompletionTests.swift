import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Completion in the real shells, and the answers of `broadcast complete` that their scripts use.
    struct CompletionTests {
        @Test(arguments: ShellSession.Shell.allCases)
        func `A shell completes subcommands, options, files, destinations, sessions, windows and values`(
            shell: ShellSession.Shell
        ) async throws {
            try await withStudio(["clock", "--window", "200x100+10+10"], width: 320, height: 240) { studio in
                try Self.configure(studio)
                let desktop = try Desktop(studio.screen.display, pulse: studio.pulse, in: studio.peers)
                let window = try await desktop.window(titled: "broadcast test screen: clock")
                let sound = try await desktop.sources().audio.first { $0.monitor }?.name
                let monitor = try #require(sound)
                let session = try await studio.startLive(
                    ["--to", studio.path("copy.mp4"), "--session", "second", "--hide", "class:Quiet"], session: "second"
                )
                let terminal = try await ShellSession.open(
                    shell, studio.broadcast, folder: studio.folder, in: studio.peers)
                for (typed, completed) in [
                    ("sto", "stop"), ("start --follow", "start --follow-focus"),
                    // Files, also those with a space, after --to, after --to= and as an argument.
                    ("start --to reco", "start --to recording.mp4"), ("start --to=reco", "start --to=recording.mp4"),
                    ("start --to my", "start --to my\\ file.mp4"), ("start --wav soun", "start --wav sound.wav"),
                    ("check-extension ext", "check-extension extension/"),
                    ("check-extension frame", "check-extension frame-counter"),
                    // The configuration, the known services, and the extensions' and services' questions.
                    ("start --to talk", "start --to talk-show"), ("start --to=talk", "start --to=talk-show"),
                    ("add-destination twi", "add-destination twitch"), ("setup you", "setup youtube"),
                    ("setup custom --set ur", "setup custom --set url="),
                    ("picker --preferred talk", "picker --preferred talk-show"),
                    ("start --to frame", "start --to frame-counter"),
                    ("setup frame-counter --set sum", "setup frame-counter --set summary="),
                    // The running sessions.
                    ("stop --session sec", "stop --session second"),
                    ("remove-destination --session second cop", "remove-destination --session second copy.mp4"),
                    ("unhide --session second cl", "unhide --session second class:Quiet"),
                    // The screen and the sound.
                    ("start --monitor scr", "start --monitor screen"),
                    ("start --window \(window.id.dropLast(1))", "start --window \(window.id)"),
                    ("hide class:\(window.class.dropLast(2))", "hide class:\(window.class)"),
                    ("start --window act", "start --window active"),
                    ("start --app-source \(monitor.dropLast(3))", "start --app-source \(monitor)"),
                    // Values that are always the same, one with a space.
                    ("start --preset ultra", "start --preset ultrafast"),
                    ("start --latency=nor", "start --latency=normal"),
                    ("mic tog", "mic toggle"), ("help pau", "help pause"),
                    ("picker --menu rof", "picker --menu rofi\\ -dmenu"),
                ] {
                    try await terminal.expect(typed, becomes: completed)
                }
                #expect(try await studio.broadcast.run(["stop", "--session", "second"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test(arguments: [("bash", "broadcast.bash"), ("zsh", "_broadcast"), ("fish", "broadcast.fish")])
        func `The command prints the script that is installed`(shell: String, file: String) async throws {
            try await withPeers { peers in
                let printed = try await BroadcastCommand(in: peers).run(["completion", shell])
                let installed = ShippedExtensions.package + "/completions/" + file
                #expect(printed.output == (try String(contentsOfFile: installed, encoding: .utf8)))
            }
        }

        @Test(arguments: [ShellSession.Shell.zsh, .fish])
        func `A shell with descriptions shows the opposite for --no-… options`(shell: ShellSession.Shell) async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let session = try await ShellSession.open(shell, broadcast, folder: broadcast.home, in: peers)
                try await session.write("broadcast start --no-")
                try await session.terminal.press("Tab")
                try await session.terminal.wait(for: "Do not show the mouse pointer.")
                try await session.terminal.wait(for: "Do not capture the microphone.")
            }
        }

        @Test func `Bash lists addresses as a whole, with descriptions, and files beside them`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let session = try await ShellSession.open(.bash, broadcast, folder: broadcast.home, in: peers)
                for file in ["", "rtmovie.mp4"] {
                    if !file.isEmpty {
                        try "".write(toFile: broadcast.home + "/" + file, atomically: true, encoding: .utf8)
                    }
                    try await session.write("broadcast start --to rtm")
                    // The first one may add what all have in common.
                    for _ in 1...3 { try await session.terminal.press("Tab") }
                    try await session.terminal.wait(for: "a list") {
                        let screen = try await session.terminal.screen()
                        return screen.contains(/rtmps:\/\/ {2}an RTMP server, with TLS/)
                            && (file.isEmpty || screen.contains(file))
                    }
                    try await session.terminal.press("C-u")
                }
            }
        }

        @Test(arguments: ShellSession.Shell.allCases)
        func `The words of a title or a class are never commands of the shell`(shell: ShellSession.Shell) async throws {
            try await withStudio(["clock", "--window", "200x100+10+10"], width: 320, height: 240, hasSound: false) {
                studio in
                let desktop = try Desktop(studio.screen.display, in: studio.peers)
                let window = try await desktop.window(titled: "broadcast test screen: clock")
                let trap = "$(touch trap)`touch trap`;touch trap"
                try await desktop.xdotool(["set_window", "--name", trap, "--class", "Trap\(trap)", window.id])
                let session = try await ShellSession.open(
                    shell, studio.broadcast, folder: studio.folder, in: studio.peers)
                try await session.write("broadcast hide class:Tr")
                try await session.terminal.press("Tab")
                try await session.terminal.wait(for: "touch")
                // The shell reads the line: the word is one argument of the command, and nothing else runs.
                try await session.terminal.type("; echo \(shell == .fish ? "$status" : "$?")-done")
                try await session.terminal.wait(for: "1-done")
                #expect(!FileManager.default.fileExists(atPath: studio.path("trap")))
                #expect(try await session.terminal.text().contains("No session"))
            }
        }

        @Test func `Each option and argument with a value has values, or its value is known to be free`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let dump = try await broadcast.run(["--experimental-dump-help"])
                let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
                var checked = 0
                for command in root.subcommands ?? [] where command.shouldDisplay {
                    for argument in command.arguments ?? [] where argument.shouldDisplay && argument.kind != "flag" {
                        let option = argument.names?.last.map { ["--" + $0.name] } ?? []
                        let answer = try await broadcast.run(["complete", "--", command.commandName] + option + [""])
                        #expect(answer.status == .exited(0))
                        let mode = answer.output.split(separator: "\n").first.map(String.init)
                        #expect(
                            mode.map(["values", "files", "folders"].contains) == true,
                            "CompletionValues.swift has no values for \(command.commandName) \(option.first ?? argument.valueName ?? "")"
                        )
                        checked += 1
                    }
                }
                #expect(checked > 60)
            }
        }

        @Test func `A wrong configuration and a frozen X server do not block completion`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                try broadcast.writeConfiguration("colour = 3\n")
                let targets = try await broadcast.run(["complete", "--", "start", "--to", ""])
                #expect(
                    targets.output.hasPrefix("files\n") && targets.output.contains("\ntwitch\tTwitch\n")
                        && targets.errors == "", "\(targets)")
                #expect(
                    try await broadcast.run(["complete", "--", "start", "--monitor", ""]).output.contains("\nscreen\t"))
                screen.peer.signal(SIGSTOP)
                let frozen = try await broadcast.run(["complete", "--", "start", "--monitor", ""])
                #expect(frozen.status == .exited(0) && frozen.output == "" && frozen.errors == "", "\(frozen)")
                screen.peer.signal(SIGCONT)
            }
        }

        private static func configure(_ studio: Studio) throws {
            for name in ["recording.mp4", "my file.mp4", "sound.wav"] {
                try Data().write(to: URL(fileURLWithPath: studio.path(name)))
            }
            try FileManager.default.createDirectory(
                atPath: studio.path("extension"), withIntermediateDirectories: false)
            let extensions = studio.broadcast.home + "/data/broadcast/extensions"
            try FileManager.default.createDirectory(
                atPath: extensions, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
            try FileManager.default.copyItem(
                atPath: ShippedExtensions.package + "/Examples/frame-counter", toPath: extensions + "/frame-counter")
            try studio.broadcast.writeConfiguration(
                """
                [destinations.talk-show]
                extension = "file"
                path = "/srv/talks"
                """)
        }

        /// A part of `--experimental-dump-help`.
        private struct Dump: Decodable {
            struct Command: Decodable {
                struct Argument: Decodable {
                    struct Name: Decodable {
                        let name: String
                    }

                    let kind: String
                    let names: [Name]?
                    let valueName: String?
                    let shouldDisplay: Bool
                }

                let commandName: String
                let shouldDisplay: Bool
                let arguments: [Argument]?
                let subcommands: [Command]?
            }

            let command: Command
        }
    }
}

/// A shell on a terminal, with the completion script of this package.
struct ShellSession {
    enum Shell: String, CaseIterable, Sendable {
        case bash, zsh, fish
    }

    let terminal: Terminal

    /// - Parameter folder: the shell's working folder.
    nonisolated(nonsending) static func open(
        _ shell: Shell, _ broadcast: BroadcastCommand, folder: String, in peers: Peers
    ) async throws -> ShellSession {
        let bin = try peers.makeFolder("bin")
        try FileManager.default.createSymbolicLink(atPath: bin + "/broadcast", withDestinationPath: broadcast.binary)
        var environment = broadcast.environment
        environment["PATH"] = bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../completions"
        ).standardized.path
        let terminal = try await Terminal.open(environment: environment, in: peers)
        let session = ShellSession(terminal: terminal)
        let commands =
            switch shell {
            case .bash: ["source \(scripts)/broadcast.bash"]
            case .zsh: ["exec zsh -f", "fpath=(\(scripts) $fpath); autoload -Uz compinit; compinit -u -D"]
            // A suggestion in grey would look like a completion.
            case .fish:
                ["exec fish --no-config", "set -g fish_autosuggestion_enabled 0; source \(scripts)/broadcast.fish"]
            }
        for (index, command) in (commands + ["cd \(folder)"]).enumerated() {
            try await terminal.type(command)
            if command.hasPrefix("exec") { try await session.waitForShell(shell) }
            // The quotes keep the command itself from looking like its output.
            try await terminal.type("echo rea''dy-\(index)")
            try await terminal.wait(for: "ready-\(index)")
        }
        return session
    }

    /// A command that is typed before the new shell reads would be lost to it.
    private nonisolated(nonsending) func waitForShell(_ shell: Shell) async throws {
        let name = shell == .zsh ? "ZSH_VERSION" : "FISH_VERSION"
        try await terminal.wait(for: "the shell") {
            try await terminal.type("echo version-$\(name)")
            return try await terminal.text().contains(/version-[0-9]/)
        }
    }

    nonisolated(nonsending) func write(_ text: String) async throws {
        try await terminal.press("C-l")
        try await terminal.write(text)
    }

    /// Types the beginning of a command line and Tab, waits for the line, and erases it.
    nonisolated(nonsending) func expect(_ typed: String, becomes completed: String) async throws {
        try await write("broadcast " + typed)
        try await terminal.press("Tab")
        try await terminal.wait(for: "broadcast " + completed)
        try await terminal.press("C-u")
        try await terminal.wait(for: "an empty line") {
            try await !terminal.screen().contains("broadcast " + completed)
        }
    }
}
