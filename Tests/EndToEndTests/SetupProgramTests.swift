import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Extensions that sign in with a program of their own.
    struct SetupProgramTests {
        private static let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Examples/sign-in-demo").standardized

        /// Puts the example where `broadcast` finds it, with that script in the place of its setup program.
        @discardableResult
        private func install(for broadcast: BroadcastCommand, script: String? = nil) throws -> String {
            let folder = broadcast.home + "/data/broadcast/extensions/sign-in-demo"
            try? FileManager.default.removeItem(atPath: folder)
            try FileManager.default.createDirectory(
                atPath: broadcast.home + "/data/broadcast/extensions", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: Self.example.path, toPath: folder)
            if let script { try script.write(toFile: folder + "/sign_in.py", atomically: true, encoding: .utf8) }
            // A checkout may be writable to a group.
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
            for (file, mode) in ["sign_in.py": 0o700, "sign_in_demo.py": 0o700, "extension.toml": 0o600] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/" + file)
            }
            return folder
        }

        /// Opens the page of the example, and presses one of its buttons.
        private nonisolated(nonsending) func press(_ button: String, at line: String, in peers: Peers) async throws {
            let program = """
                import re, sys, urllib.request
                page = urllib.request.urlopen(sys.argv[1]).read().decode()
                state = re.search('name="state" value="([^"]+)"', page).group(1)
                try: urllib.request.urlopen(sys.argv[1] + "back?state=wrong&account=eve&allow=yes")
                except urllib.error.HTTPError as error: assert error.code == 404
                urllib.request.urlopen(sys.argv[1] + "back?state=" + state + "&account=me&allow=" + sys.argv[2]).read()
                """
            let url = try #require(line.split(separator: " ").last.map(String.init))
            try await peers.run("browser", ["python3", "-c", program, url, button])
        }

        @Test func `The example extension signs in with a browser page, and its setup gives the address for viewers`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                try install(for: studio.broadcast)
                #expect(try await studio.broadcast.run(["start", "--to", "sign-in-demo"]).status == .exited(77))
                var broadcast = studio.broadcast
                broadcast.environment["DISPLAY"] = nil
                let refused = try broadcast.start(["setup", "sign-in-demo"])
                try await press(
                    "no", at: try await refused.waitForErrorLine(containing: "Sign in at"), in: studio.peers)
                #expect(try await refused.waitForExit() == .exited(77))
                expectSentence(
                    in: refused.standardError,
                    saying: ["sign-in-demo", "The sign-in was refused.", "Nothing was changed."])
                let setup = try broadcast.start(["setup", "sign-in-demo", "--plain-file"])
                try await press("yes", at: try await setup.waitForErrorLine(containing: "Sign in at"), in: studio.peers)
                #expect(try await setup.waitForExit() == .exited(0), "\(setup.standardError)")
                #expect(
                    setup.standardError.contains("https://example.com/me") && !setup.standardError.contains("demo-"))

                let peer = try await studio.startLive(["--to", "sign-in-demo"])
                try await peer.wait(for: "the extension's status") {
                    try await studio.broadcast.statusText().contains("signed in as me")
                }
                #expect(
                    try await studio.broadcast.run(["status"]).output.contains("watch it at https://example.com/me"))
                #expect(
                    try await studio.broadcast.run(["stop", "--json"]).output.contains(
                        "\"watch_url\" : \"https://example.com/me\""))
                #expect(try await studio.broadcast.run(["sign-out", "sign-in-demo"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["start", "--to", "sign-in-demo"]).status == .exited(77))
            }
        }

        @Test func `The program has the terminal and a clean environment, and Ctrl-C is its own`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"sign-in-demo\"\nsetup = { account = \"me\" }\n")
                let folder = try install(
                    for: broadcast,
                    script: """
                        #!/bin/bash
                        env > environment
                        trap 'echo caught >&2; exit 130' INT
                        stty raw -echo
                        read -rsn1 -p 'Press a key: ' key; stty sane
                        [ "$key" = s ] && { echo sleeping >&2; sleep 300; }
                        echo '{"secrets":{"token":"demo-x"},"watch_url":"https://example.com/'$key'","later":[1]}'
                        """)
                let terminal = try await Terminal.open(
                    environment: broadcast.environment.merging(["DISPLAY": ":77", "SECRET": "x"]) { $1 }, in: peers)
                try await terminal.type("\(broadcast.binary) setup mine; echo status=$?")
                try await terminal.wait(for: "Press a key:")
                try await terminal.write("s")
                // Earlier, the terminal is raw, and Ctrl-C is a key like any other.
                try await terminal.wait(for: "sleeping")
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=1")
                let text = try await terminal.text()
                #expect(text.contains("caught") && text.contains("Nothing was changed."), "\(text)")
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials"))

                try await terminal.typeAfresh(
                    "\(broadcast.binary) setup mine; echo status=$?; stty -a | grep -o '.echo '")
                try await terminal.wait(for: "Press a key:")
                try await terminal.write("k")
                try await terminal.wait(for: "[y/N]")
                try await terminal.type("y")
                try await terminal.wait(for: "status=0")
                try await terminal.wait(for: " echo")
                let list = try await broadcast.run(["list-destinations", "--json"])
                #expect(list.output.contains("\"watch_url\" : \"https://example.com/k\""), "\(list.output)")
                #expect(
                    try await broadcast.run(["list-destinations"]).output.contains("watch it at https://example.com/k"))
                let environment = try String(contentsOfFile: folder + "/environment", encoding: .utf8)
                let names = Set(
                    environment.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) })
                #expect(
                    names.isSuperset(of: ["HOME", "PATH", "TERM", "DISPLAY", "XDG_RUNTIME_DIR", "BROADCAST_SETUP"]))
                #expect(!names.contains("SECRET") && !names.contains("PULSE_SERVER"), "\(names)")
                #expect(environment.contains("BROADCAST_SETUP={\"name\":\"mine\",\"setup\":{\"account\":\"me\"}}"))
            }
        }

        private static let wrong: [(output: String, status: Int32, words: [String])] = [
            ("echo hello", 76, ["one JSON object"]),
            ("true", 76, ["one JSON object"]),
            ("echo '{\"setup\":{\"account\":7}}'", 76, ["one JSON object"]),
            (
                "echo '{\"setup\":{\"account\":\"me\",\"colour\":\"canary\"},\"secrets\":{\"token\":\"canary\"}}'", 76,
                ["colour", "declare"]
            ),
            (
                "echo '{\"setup\":{\"account\":\"me\",\"token\":\"canary\"}}'", 76,
                ["token", "as if it were not secret"]
            ),
            ("echo '{\"secrets\":{\"account\":\"canary\",\"token\":\"canary\"}}'", 76, ["account", "secret"]),
            ("echo '{\"setup\":{\"account\":\"me\"}}'", 76, ["token", "required"]),
            (
                "echo '{\"setup\":{\"account\":\"me\"},\"secrets\":{\"token\":\"canary\"},\"watch_url\":\"javascript:canary\"}'",
                76,
                ["watch_url"]
            ),
            ("echo '{\"error\":{\"code\":403,\"message\":\"No \\u001b[31mway\"}}'", 77, ["No ?[31mway."]),
            ("echo '{\"secrets\":{\"token\":\"canary\"}}'; exit 3", 77, ["exit status 3"]),
            ("kill -SEGV $$", 77, ["signal 11"]),
            ("exit 130", 1, []),
        ]

        @Test func `Each failure of a setup program changes nothing and is reported in one sentence`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                for (output, status, words) in Self.wrong {
                    try install(for: broadcast, script: "#!/bin/sh\n\(output)\n")
                    let result = try await broadcast.run(["setup", "sign-in-demo"])
                    #expect(result.status == .exited(status), "\(output): \(result.errors)")
                    expectSentence(in: result.errors, saying: words + ["Nothing was changed."])
                    #expect(!result.errors.contains("canary"), "\(output)")
                }
                let folder = try install(for: broadcast)
                try FileManager.default.setAttributes([.posixPermissions: 0o702], ofItemAtPath: folder + "/sign_in.py")
                let open = try await broadcast.run(["setup", "sign-in-demo"])
                #expect(open.status == .exited(78))
                expectSentence(in: open.errors, saying: ["sign_in.py", "chmod go-w"])
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: broadcast.home + "/data/broadcast") == [
                        "extensions"
                    ])
                // Without the program, as in a script.
                try install(for: broadcast)
                let given = try await broadcast.run(
                    ["setup", "sign-in-demo", "--set", "account=me", "--plain-file", "--secret-from-stdin", "token"],
                    reading: "demo-1\n")
                #expect(given.status == .exited(0), "\(given.errors)")
            }
        }
    }
}
