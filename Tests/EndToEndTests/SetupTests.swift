import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast setup` and `sign-out` where no Secret Service is.
    struct SetupTests {
        private static let configuration = """
            [destinations.mine]
            extension = "rtmp"
            url = "rtmp://127.0.0.1/live"
            [destinations.show]
            service = "twitch"
            [destinations.archive]
            extension = "file"
            """

        private struct Row: Decodable, Equatable {
            let name: String
            let service: String?
            let url: String?
            let signedIn: Bool?

            enum CodingKeys: String, CodingKey {
                case name, service, url
                case signedIn = "signed_in"
            }
        }

        @Test func `The key is asked for without echo, and the terminal is as it was`() async throws {
            try await withPrompt { broadcast, terminal in
                try await terminal.type(
                    "\(broadcast.binary) setup mobcrush; echo status=$?; stty -a | grep -o '.echo '")
                try await terminal.wait(for: "studio.mobcrush.com")
                try await terminal.wait(for: "Stream key:")
                try await terminal.type("typed-k3y")
                try await terminal.wait(for: "No Secret Service answers. Store the secret in")
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials"))
                try await terminal.type("y")
                try await terminal.wait(for: "status=0")
                try await terminal.wait(for: " echo")
                #expect(try await !terminal.text().contains("typed-k3y"))
                #expect(try secrets(of: "mobcrush", broadcast) == "\"key\" = \"typed-k3y\"\n")
            }
        }

        @Test func `Ctrl-C, Ctrl-D and an empty answer change nothing`() async throws {
            try await withPrompt { broadcast, terminal in
                for (number, key) in ["C-c", "C-d", "Enter"].enumerated() {
                    try await terminal.typeAfresh(
                        "echo round-$((\(number))); \(broadcast.binary) setup mobcrush; echo status-\(number)=$?; stty -a | grep -o '.echo '"
                    )
                    try await terminal.wait(for: "Stream key:", after: "round-\(number)")
                    try await terminal.press(key)
                    try await terminal.wait(for: "status-\(number)=1")
                    try await terminal.wait(for: " echo")
                    #expect(try await terminal.text().contains("Nothing was changed."))
                }
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast"))
            }
        }

        @Test func `What is no secret is seen while it is typed, and can be corrected`() async throws {
            try await withPrompt { broadcast, terminal in
                try await terminal.type("\(broadcast.binary) setup custom; echo status=$?")
                try await terminal.wait(for: "Address (rtmp://HOST/APP):")
                try await terminal.press("x")
                try await terminal.press("BSpace")
                try await terminal.type("rtmp://127.0.0.1/live")
                try await terminal.wait(for: "Stream key:")
                #expect(try await terminal.text().contains("Address (rtmp://HOST/APP): rtmp://127.0.0.1/live"))
                try await terminal.type("k3y")
                try await terminal.wait(for: "[y/N]:")
                try await terminal.type("y")
                try await terminal.wait(for: "status=0")
                #expect(
                    try rows(of: try await broadcast.run(["list-destinations", "--json"])).first?.url
                        == "rtmp://127.0.0.1/live/…")
            }
        }

        @Test func `Enter keeps what is stored`() async throws {
            try await withPrompt { broadcast, terminal in
                let first = try await broadcast.run(
                    [
                        "setup", "custom", "--set", "url=rtmp://127.0.0.1/live", "--plain-file", "--secret-from-stdin",
                        "key",
                    ],
                    reading: "old-k3y\n")
                #expect(first.status == .exited(0))
                try await terminal.type("\(broadcast.binary) setup custom --plain-file; echo status=$?")
                try await terminal.wait(for: "Address (rtmp://HOST/APP) [rtmp://127.0.0.1/live]:")
                try await terminal.press("Enter")
                try await terminal.wait(for: "Stream key (Enter keeps the stored one):")
                try await terminal.type("new-k3y")
                try await terminal.wait(for: "status=0")
                #expect(try secrets(of: "custom", broadcast) == "\"key\" = \"new-k3y\"\n")
                let shown = try await broadcast.run(["setup", "custom", "--show"]).output
                #expect(shown.contains("rtmp://127.0.0.1/live"))
                try await terminal.typeAfresh("\(broadcast.binary) setup custom; echo again=$?")
                for question in ["[rtmp://127.0.0.1/live]:", "stored one):"] {
                    try await terminal.wait(for: question)
                    try await terminal.press("Enter")
                }
                try await terminal.wait(for: "again=1")
                #expect(try await terminal.text().contains("Nothing was changed."))
            }
        }

        @Test func `A signal from elsewhere gives the terminal its echo back`() async throws {
            try await withPrompt { broadcast, terminal in
                let note = broadcast.home + "/pid"
                try await terminal.type(
                    "sh -c 'echo $$ > \(note); exec \(broadcast.binary) setup mobcrush'; echo status=$?; stty -a | grep -o '.echo '"
                )
                try await terminal.wait(for: "Stream key:")
                let pid = try #require(
                    pid_t(try String(contentsOfFile: note, encoding: .utf8).trimmingCharacters(in: .newlines)))
                kill(pid, SIGTERM)
                try await terminal.wait(for: "status=1")
                try await terminal.wait(for: " echo")
            }
        }

        @Test func `A name that is missing or unknown gives the names that exist, each once`() async throws {
            try await withSetup { broadcast in
                try broadcast.writeConfiguration("[destinations.mobcrush]\nservice = \"mobcrush\"\n")
                for (arguments, status) in [
                    (["setup"], Int32(64)), (["setup", "nosuch-name"], 66), (["sign-out", "nosuch-name"], 66),
                ] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(status))
                    expectSentence(in: result.errors, saying: ["mobcrush", "twitch"])
                    #expect(result.errors.components(separatedBy: "mobcrush").count == 2, "\(result.errors)")
                    #expect(!result.errors.contains("\" to set up"), "sign-out sets up nothing")
                }
            }
        }

        @Test func `A secret on the command line is refused with the way to do it`() async throws {
            try await withSetup { broadcast in
                let result = try await broadcast.run(["setup", "mine", "--set", "key=s3cret"])
                #expect(result.status == .exited(64))
                expectSentence(in: result.errors, saying: ["broadcast setup mine", "--secret-from-stdin key"])
                #expect(!result.errors.contains("s3cret"))
                for arguments in [
                    ["--set", "colour=red"], ["--secret-from-stdin", "colour"], ["--set", "nothing"], [],
                ] {
                    let result = try await broadcast.run(["setup", "mine"] + arguments)
                    #expect(result.status == .exited(64), "\(arguments)")
                    expectSentence(in: result.errors, saying: [])
                }
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast"))
            }
        }

        @Test func `A script signs in through standard input, and only the owner may read the file`() async throws {
            try await withSetup { (broadcast: BroadcastCommand) async throws -> Void in
                #expect(try await signIn("mine", key: "k \"3\\y", inFile: true, broadcast).status == .exited(64))
                #expect(try await signIn("mine", key: "", inFile: true, broadcast).status == .exited(1))
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials"))
                #expect(try await signIn("mine", key: "k\"3\\y?a=1&b=2", inFile: true, broadcast).status == .exited(0))
                #expect(try secrets(of: "mine", broadcast) == "\"key\" = \"k\\\"3\\\\y?a=1&b=2\"\n")
                let folder = broadcast.home + "/data/broadcast/credentials"
                #expect(try permissions(of: folder) == 0o700)
                #expect(try permissions(of: folder + "/mine") == 0o600)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["mine"])
            }
        }

        @Test
        func `A user, a password and a key are accepted in every order and together, and signing out forgets them`()
            async throws
        {
            try await withSetup { broadcast in
                let account = (["--set", "user=ann", "--secret-from-stdin", "password"], "p\n")
                let key = (["--secret-from-stdin", "key"], "k\n")
                let both = (
                    ["--secret-from-stdin", "key", "--set", "user=ann", "--secret-from-stdin", "password"], "k\np\n"
                )
                for steps in [[account, key], [key, account], [both]] {
                    for (options, input) in steps {
                        let setup = try await broadcast.run(
                            ["setup", "mine", "--plain-file"] + options, reading: input)
                        #expect(setup.status == .exited(0), "\(setup.errors)")
                    }
                    #expect(try secrets(of: "mine", broadcast) == "\"key\" = \"k\"\n\"password\" = \"p\"\n")
                    #expect(try rows(of: try await broadcast.run(["list-destinations", "--json"]))[1].signedIn == true)
                    #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(0))
                    #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/setup/mine.toml"))
                    #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(1))
                }
                let wrong = try await broadcast.run(["setup", "mine", "--plain-file"] + both.0, reading: "k\n")
                #expect(wrong.status == .exited(64) && wrong.errors.contains("1 line for 2 secrets"), "\(wrong.errors)")
                let alone = try await broadcast.run(
                    ["setup", "mine", "--plain-file", "--secret-from-stdin", "password"], reading: "p\n")
                #expect(alone.status == .exited(64) && alone.errors.contains("--set user=USER"), "\(alone.errors)")
            }
        }

        @Test func `A user without a password is not signed in until it has one or is removed`() async throws {
            try await withSetup { broadcast in
                let options = ["--plain-file", "--set", "user=ann", "--secret-from-stdin", "key"]
                let setup = try await broadcast.run(["setup", "mine"] + options, reading: "k\n")
                #expect(setup.status == .exited(0))
                let note = "mine still needs password. Run: broadcast setup mine --secret-from-stdin password\n"
                #expect(setup.errors.hasSuffix(note), "\(setup.errors)")
                #expect(try rows(of: try await broadcast.run(["list-destinations", "--json"]))[1].signedIn == false)
                let start = try await broadcast.run(["start", "--to", "mine"])
                #expect(start.status == .exited(77))
                expectSentence(
                    in: start.errors,
                    saying: ["password of the user ann", "broadcast setup mine --secret-from-stdin password"])
                #expect(try await broadcast.run(["setup", "mine", "--set", "user="]).status == .exited(0))
                #expect(try rows(of: try await broadcast.run(["list-destinations", "--json"]))[1].signedIn == true)
            }
        }

        @Test func `A server whose key a command prints can have a user and a password`() async throws {
            try await withSetup { broadcast in
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1/live\"\nkey-command = \"echo k\"\n"
                )
                let options = ["--plain-file", "--set", "user=ann", "--secret-from-stdin", "password"]
                let setup = try await broadcast.run(["setup", "mine"] + options, reading: "p\n")
                #expect(setup.status == .exited(0) && setup.errors.contains("mine is set up"), "\(setup.errors)")
                for arguments in [["setup", "mine"], ["setup", "mine", "--secret-from-stdin", "key"]] {
                    let key = try await broadcast.run(arguments, reading: "k\n")
                    #expect(key.status == .exited(1))
                    expectSentence(in: key.errors, saying: ["key-command", "nothing to set up"])
                }
            }
        }

        @Test func `On a terminal, the password of a user is asked for too`() async throws {
            try await withPrompt { broadcast, terminal in
                try broadcast.writeConfiguration(Self.configuration)
                try await terminal.type("\(broadcast.binary) setup mine --plain-file --set user=ann; echo status=$?")
                try await terminal.wait(for: "Stream key:")
                try await terminal.type("k3y")
                try await terminal.wait(for: "Password:")
                try await terminal.type("w0rd")
                try await terminal.wait(for: "status=0")
                #expect(try secrets(of: "mine", broadcast) == "\"key\" = \"k3y\"\n\"password\" = \"w0rd\"\n")
                // What is stored is not asked for again.
                try await terminal.type(
                    "echo round-$((2)); \(broadcast.binary) setup mine --plain-file --secret-from-stdin password; echo again=$?"
                )
                try await terminal.wait(for: "Password:", after: "round-2")
                try await terminal.type("new")
                try await terminal.wait(for: "again=0")
                #expect(try secrets(of: "mine", broadcast) == "\"key\" = \"k3y\"\n\"password\" = \"new\"\n")
            }
        }

        @Test func `The list shows which destinations are signed in`() async throws {
            try await withSetup { broadcast in
                #expect(try await signIn("mine", key: "k3y", inFile: true, broadcast).status == .exited(0))
                #expect(try await signIn("mobcrush", key: "k3y", inFile: true, broadcast).status == .exited(0))
                let list = try rows(of: try await broadcast.run(["list-destinations", "--json"]))
                #expect(
                    list == [
                        Row(name: "archive", service: nil, url: nil, signedIn: nil),
                        Row(name: "mine", service: nil, url: "rtmp://127.0.0.1/live/…", signedIn: true),
                        Row(
                            name: "show", service: "twitch",
                            url: "rtmps://ingest.global-contribute.live-video.net/app/…", signedIn: false),
                        Row(
                            name: "mobcrush", service: "mobcrush", url: "rtmp://live.mobcrush.net/stream/…",
                            signedIn: true),
                    ])
                let text = try await broadcast.run(["list-destinations"]).output
                #expect(text.contains("not signed in"))
                #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(0))
                #expect(try rows(of: try await broadcast.run(["list-destinations", "--json"]))[1].signedIn == false)
                #expect(try await broadcast.run(["sign-out", "mine"]).status == .exited(1))
            }
        }

        @Test func `Without a key, a start says how to sign in`() async throws {
            try await withSetup { broadcast in
                for name in ["mobcrush", "mine", "show", "facebook"] {
                    let result = try await broadcast.run(["start", "--to", name])
                    #expect(result.status == .exited(77))
                    #expect(result.errors == "broadcast: Not signed in to \(name). Run: broadcast setup \(name)\n")
                }
            }
        }

        @Test func `A limit of the service that is broken is a warning`() async throws {
            try await withSetup { broadcast in
                let result = try await broadcast.run(
                    [
                        "start", "--to", "show", "--bitrate", "9000", "--keyframe-interval", "5", "--audio-bitrate",
                        "320",
                    ])
                #expect(result.status == .exited(77))
                #expect(
                    result.errors.contains(
                        "Warning: Twitch takes 6000 kbit/s of video at most, and this sends 9000. Use --bitrate 6000."))
                #expect(
                    result.errors.contains(
                        "Warning: Twitch wants a keyframe every 2 s, and this sends one every 5.0 s."))
                #expect(!result.errors.contains("of sound"))
                let small = try await broadcast.run(["start", "--to", "show", "--bitrate", "3000"])
                #expect(!small.errors.contains("Warning"))
                let large = try await broadcast.run(["start", "--to", "show", "--size", "3840x2160"])
                #expect(
                    large.errors.contains(
                        "Warning: Twitch takes pictures of 1920x1080 at most, and this sends 3840x2160. Use --size 1920x1080."
                    ))
                // The bitrate is not the user's choice, so it stays within the limit.
                #expect(!large.errors.contains("kbit/s"))
            }
        }

        @Test func `The url of the configuration overrides that of the service, and signing out ends its destination`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                try studio.broadcast.writeConfiguration(
                    "[destinations.show]\nservice = \"twitch\"\nurl = \"rtmp://127.0.0.1:\(server.port)/live\"\n")
                #expect(try await signIn("show", key: "k3y", inFile: true, studio.broadcast).status == .exited(0))
                let peer = try await studio.startLive(["--to", "show"])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "k3y") }
                let signOut = try await studio.broadcast.run(["sign-out", "show"])
                #expect(signOut.status == .exited(0) && signOut.errors.contains("has ended"))
                #expect(try await peer.waitForExit() == .exited(0))

                // Where the session has other destinations, they go on.
                #expect(try await signIn("show", key: "k3y", inFile: true, studio.broadcast).status == .exited(0))
                let both = try await studio.startLive(["--to", "show", "--to", studio.path("out.mp4")])
                try await both.wait(for: "the stream") { try await server.isPublishing(key: "k3y") }
                let leaving = try await studio.broadcast.run(["sign-out", "show"])
                #expect(
                    leaving.status == .exited(0) && leaving.errors.contains("continues to out.mp4"), "\(leaving.errors)"
                )
                #expect(try await studio.status()?.destinations.map(\.state) == ["finished", "live"])
                #expect(try await !server.isPublishing(key: "k3y"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await both.waitForExit() == .exited(0))
                #expect(try await studio.broadcast.run(["start", "--to", "show"]).status == .exited(77))
            }
        }

        @Test func `Signing out of a destination does not end another one whose name only begins alike`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try studio.broadcast.writeConfiguration(
                    "[destinations.cam]\nextension = \"file\"\npath = \"\(studio.path("cam.mp4"))\"\n"
                        + "[destinations.cam-2]\nextension = \"file\"\npath = \"\(studio.path("second.mp4"))\"\n")
                let peer = try await studio.startLive(["--to", "cam", "--to", "cam-2", "--to", studio.path("out.mp4")])
                let signOut = try await studio.broadcast.run(["sign-out", "cam"])
                #expect(signOut.errors.contains("cam has ended"), "\(signOut.errors)")
                let destinations = try #require(try await studio.status()).destinations
                #expect(destinations.map(\.name) == ["cam", "cam-2", "out.mp4"])
                #expect(destinations.map(\.state) == ["finished", "live", "live"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Any server can be set up without a config`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let arguments = [
                    "setup", "custom", "--set", "url=rtmp://127.0.0.1:\(server.port)/live", "--plain-file",
                    "--secret-from-stdin", "key",
                ]
                #expect(try await studio.broadcast.run(arguments, reading: "own-k3y\n").status == .exited(0))
                let peer = try await studio.startLive(["--to", "custom"])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "own-k3y") }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Cancelling at the second question forgets the first answer`() async throws {
            try await withPrompt { broadcast, terminal in
                try await terminal.type("\(broadcast.binary) setup custom; echo status=$?")
                try await terminal.wait(for: "Address (rtmp://HOST/APP):")
                try await terminal.type("rtmp://127.0.0.1/live")
                try await terminal.wait(for: "Stream key:")
                try await terminal.press("C-c")
                try await terminal.wait(for: "status=1")
                #expect(!FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast"))
            }
        }

        @Test func `Signing out leaves other sessions alone`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                try studio.broadcast.writeConfiguration(Self.configuration)
                #expect(try await signIn("mine", key: "k3y", inFile: true, studio.broadcast).status == .exited(0))
                let peer = try await studio.startLive(["--to", studio.path("mine.mp4")])
                #expect(try await studio.broadcast.run(["sign-out", "mine"]).status == .exited(0))
                #expect(try await studio.status()?.state == "live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        private nonisolated(nonsending) func withSetup(_ body: (BroadcastCommand) async throws -> Void) async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try broadcast.writeConfiguration(Self.configuration)
                try await body(broadcast)
            }
        }

        private nonisolated(nonsending) func withPrompt(_ body: (BroadcastCommand, Terminal) async throws -> Void)
            async throws
        {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try await body(broadcast, try await Terminal.open(environment: broadcast.environment, in: peers))
            }
        }

        private func secrets(of destination: String, _ broadcast: BroadcastCommand) throws -> String {
            try String(contentsOfFile: broadcast.home + "/data/broadcast/credentials/" + destination, encoding: .utf8)
        }

        private func permissions(of path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        private func rows(of result: BroadcastCommand.Result) throws -> [Row] {
            try JSONDecoder().decode([String: [Row]].self, from: Data(result.output.utf8))["destinations"] ?? []
        }
    }
}

/// Runs `broadcast setup NAME --secret-from-stdin key`: the key goes through a pipe, as in a script.
nonisolated(nonsending) func signIn(
    _ name: String, key: String, inFile isPlain: Bool = false, _ broadcast: BroadcastCommand
) async throws -> BroadcastCommand.Result {
    try await broadcast.run(
        ["setup", name, "--secret-from-stdin", "key"] + (isPlain ? ["--plain-file"] : []), reading: key + "\n")
}
