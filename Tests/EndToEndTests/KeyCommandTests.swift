import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Keys that a program prints.
    struct KeyCommandTests {
        private func configure(_ broadcast: BroadcastCommand, command: String, port: Int = 9) throws {
            try broadcast.writeConfiguration(
                "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1:\(port)/live\"\nkey-command = '''\(command)'''\n"
            )
        }

        @Test func `The first line is the key, and nothing is blocked or ignored in the command`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let note = studio.path("signals")
                try configure(
                    studio.broadcast,
                    command: "grep -E 'Sig(Blk|Ign)' /proc/self/status > \(note); printf 'k3y\\nmore\\n'",
                    port: server.port)
                let peer = try await studio.startLive(["--to", "mine"])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "k3y") }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                let masks = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").compactMap {
                    $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
                }
                // 32 and 33 belong to the C library.
                #expect(masks.count == 2 && masks.allSatisfy { $0 & ~0x1_8000_0000 == 0 }, "\(masks)")
            }
        }

        @Test func `Ctrl-C and a signal from elsewhere end the command and the start`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let note = studio.path("pid")
                // A number of its own: other tests sleep too.
                let sleep = "sleep 300.\(studio.screen.peer.processIdentifier)"
                try configure(studio.broadcast, command: "echo $$ > \(note); \(sleep); echo key")
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type("\(studio.broadcast.binary) start --to mine; echo status=$?")
                // A shell that gets the signal right before it starts a program acts on it after the end of that
                // program.
                try await waitUntil("the sleep") {
                    try await studio.peers.run("pgrep", ["sh", "-c", "pgrep -fx '\(sleep)' || true"]) != ""
                }
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=130")
                #expect(try await terminal.text().contains("interrupted"))

                for way in ["signal", "stop"] {
                    try FileManager.default.removeItem(atPath: note)
                    let peer = try studio.broadcast.start(["start", "--to", "mine"])
                    try await peer.wait(for: "the command") {
                        (try? String(contentsOfFile: note, encoding: .utf8))?.hasSuffix("\n") == true
                    }
                    let pid = try #require(
                        pid_t(try String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .newlines)))
                    if way == "signal" {
                        peer.signal(SIGTERM)
                    } else {
                        let status = try await studio.broadcast.run(["status", "--session", "default"])
                        #expect(
                            status.status == .exited(0) && status.output.hasPrefix("default: starting, 00:00"),
                            "\(status)")
                        let stop = try await studio.broadcast.run(["stop"])
                        #expect(
                            stop.status == .exited(0) && stop.output == ""
                                && stop.errors.contains("before it was live"), "\(stop)")
                    }
                    #expect(
                        try await peer.waitForExit(deadline: .seconds(30)) == .exited(way == "signal" ? 143 : 1),
                        "\(way)")
                    expectSentence(in: peer.standardError, saying: ["key-command of mine", "interrupted"])
                    #expect(kill(pid, 0) != 0)
                }
                #expect(try await studio.peers.run("pgrep", ["sh", "-c", "pgrep -fx '\(sleep)' || true"]) == "")
            }
        }

        @Test
        func `Ctrl-C at the question of a command leaves the terminal with its echo, also before a detached start`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                try configure(
                    studio.broadcast,
                    command: "stty -echo; printf 'Passphrase: ' >/dev/tty; read answer </dev/tty; echo key")
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                for (round, options) in ["", " --detach"].enumerated() {
                    let start = "\(studio.broadcast.binary) start --to mine\(options)"
                    try await terminal.typeAfresh("echo round-$((\(round))); \(start); echo status-\(round)=$?")
                    try await terminal.wait(for: "Passphrase:", after: "round-\(round)")
                    try await terminal.press("C-c")
                    try await terminal.wait(for: "status-\(round)=130")
                    // bash sets the terminal for its own prompt, so ask in a command.
                    try await terminal.type("stty -a | grep -ow -e -echo -e echo | sed 's/^/foun''d:/'")
                    try await terminal.wait(for: "found:echo", after: "status-\(round)=130")
                }
                let status = try await studio.broadcast.run(["status"])
                #expect(status.output.contains("Nothing is being broadcast"), "\(status)")
            }
        }

        @Test func `A command that is not installed is listed, and named at start and setup`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try configure(broadcast, command: "no-such-program show mine")
                let list = try await broadcast.run(["list-destinations"]).output
                #expect(
                    list.contains("key-command: no-such-program is not installed") && !list.contains("signed in"),
                    "\(list)")
                let json = try await broadcast.run(["list-destinations", "--json"]).output
                #expect(
                    json.contains("\"missing_program\" : \"no-such-program\"")
                        && json.contains("\"signed_in\" : false"), "\(json)")
                for arguments in [["start", "--to", "mine"], ["setup", "mine"]] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(77))
                    expectSentence(in: result.errors, saying: ["mine", "no-such-program", "not installed"])
                    // The shell's own words.
                    #expect(!result.errors.contains("not found"), "\(result.errors)")
                }
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"srt\"\nurl = \"srt://127.0.0.1:9\"\nkey-command = { stream-id = \"no-such-program\" }\n"
                )
                let table = try await broadcast.run(["list-destinations"])
                #expect(table.output.contains("key-command: no-such-program is not installed"), "\(table)")
                // Programs, builtins of sh and words that only sh can read.
                for command in [
                    "cat key", "echo key", "test -e /dev/null && echo key", "$PASS show mine", "/bin/echo key",
                ] {
                    try configure(broadcast, command: command)
                    #expect(try await broadcast.run(["list-destinations"]).output.contains("  signed in"), "\(command)")
                }
            }
        }

        @Test func `A command that prints no key, or fails, is status 77`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                for (command, words) in [
                    ("true", "printed no key"), ("echo key; exit 3", "ended with exit status 3"),
                    ("head -c 100000 /dev/zero | tr '\\0' x", "printed no key"),
                    ("kill -TERM $$", "ended with signal 15"),
                ] {
                    try configure(studio.broadcast, command: command)
                    let result = try await studio.broadcast.run(["start", "--to", "mine"])
                    #expect(result.status == .exited(77), "\(command)")
                    expectSentence(in: result.errors, saying: ["mine", "key-command \(words)"])
                }
            }
        }
    }
}
