import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Secrets that other users of the machine, other processes and a terminal must not get.
    struct SecretKeepingTests {
        private static let key = "canary-k3y-7Q2x"

        /// Nil is the example `keyframe-watch`, which calls only `run` of the library.
        @Test(arguments: ["hls", "lan", "srt", "whip", nil])
        func `The memory of an extension that uses the library cannot be read by other processes of the user`(
            shipped: String?
        ) async throws {
            try await withPeers { peers in
                try await ShippedExtensions.lay(in: peers)
                let program =
                    if let shipped { try ShippedExtensions.path(of: shipped) } else {
                        try BuiltPrograms.path(of: "keyframe-watch")
                    }
                // The files in /proc of a process that is not dumpable belong to root (proc(5)). Root itself runs it as
                // another user.
                let drop = getuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
                let peer = try peers.start("extension", drop + [program], input: .pipe)
                _ = try await peer.waitForOutputLine(containing: "hello")
                var status = stat()
                try #require(stat("/proc/\(peer.processIdentifier)/environ", &status) == 0)
                #expect(status.st_uid == 0)
            }
        }

        @Test func `While it is live, no other process of the user can read its memory or its environment`()
            async throws
        {
            try await withPeers { peers in
                let desktop = try await SharedDesktop.start(in: peers)
                var broadcast = try desktop.broadcast()
                broadcast.environment["BROADCAST_PROXY_PASSWORD"] = Self.key
                let live = try await broadcast.startLive(["--ask", "--to", peers.makeFolder("recordings") + "/a.mp4"])
                let all = try await peers.run("ps", ["ps", "-e", "-o", "pid=,pgid=,ppid=,comm="]).split(separator: "\n")
                    .map {
                        $0.split(separator: " ")
                    }
                let own = all.filter { $0[0] == "\(live.processIdentifier)" || $0[2] == "\(live.processIdentifier)" }
                // The process itself, and the one that talks to the portal.
                #expect(own.count == 2, "\(all)")
                for process in own {
                    for name in ["environ", "mem", "maps", "root", "cwd", "fd"] {
                        let path = "/proc/\(process[0])/\(name)"
                        let descriptor = Glibc.open(path, O_RDONLY)
                        #expect(descriptor < 0 && errno == EACCES, "\(path) \(process)")
                        if descriptor >= 0 { close(descriptor) }
                    }
                }
                _ = try await broadcast.stop(live)
            }
        }

        @Test func `The list of processes does not show the key of an address`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url(key: Self.key)])
                let arguments = try #require(
                    contentsOfProc("/proc/\(peer.processIdentifier)/cmdline"))
                let line = String(decoding: arguments, as: UTF8.self)
                #expect(line.contains("rtmp://127.0.0.1:\(server.port)/") && !line.contains(Self.key))
                #expect(try await server.isPublishing(key: Self.key))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                _ = try await peer.waitForExit()
            }
        }

        @Test(arguments: [[], ["--detach"]])
        func `The key of an address is read from standard input`(options: [String]) async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let address = "rtmp://127.0.0.1:\(server.port)/live"
                let peer = try studio.broadcast.start(
                    ["start", "--to", address, "--key-from-stdin"] + options, input: .pipe)
                try await peer.write(Array((Self.key + "\n").utf8))
                peer.closeInput()
                try await server.peer.wait(for: "the stream") { try await server.isPublishing(key: Self.key) }
                let status = try #require(try await studio.status())
                let arguments = try #require(contentsOfProc("/proc/\(status.pid)/cmdline"))
                #expect(
                    !String(decoding: arguments, as: UTF8.self).contains(Self.key)
                        && status.destinations.first?.url == address + "/…")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        @Test func `An address without its key, and a key for no address, are refused`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                let without = try await broadcast.run(["start", "--to", "rtmp://live.example/app"])
                #expect(without.status == .exited(64))
                expectSentence(in: without.errors, saying: ["--key-from-stdin"])
                let unused = try await broadcast.run(
                    ["start", "--to", "talk.mp4", "--key-from-stdin"], reading: Self.key)
                #expect(unused.status == .exited(64) && !unused.errors.contains(Self.key))
                expectSentence(in: unused.errors, saying: ["--to rtmp://HOST/APP"])
            }
        }

        @Test func `A secret of several lines is kept whole, in a file and in the keyring`() async throws {
            let token = (0..<90).map { "line \($0) " + String(repeating: "x", count: 60) }.joined(separator: "\n")
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let extensions = try studio.peers.makeFolder("extensions")
                try FileManager.default.createDirectory(
                    atPath: extensions + "/keeper", withIntermediateDirectories: true)
                try """
                name = "keeper"
                exec = "./keeper.py"
                mode = "samples"
                video = "h264-avcc"
                audio = "none"
                tracks = ["screen"]
                [[setup]]
                key = "token"
                secret = true
                required = true
                """.write(toFile: extensions + "/keeper/extension.toml", atomically: false, encoding: .utf8)
                try """
                #!/usr/bin/env python3
                import json, struct, sys
                print('{"hello":1}', flush=True)
                header = struct.Struct("<4sIBBHIqq")
                while data := sys.stdin.buffer.read(header.size):
                    _, length, kind, *_ = header.unpack(data)
                    payload = sys.stdin.buffer.read(length)
                    if kind == ord("J"):
                        event = json.loads(payload)
                        if event["event"] == "start":
                            open("\(studio.path("token"))", "w").write(event["setup"]["token"])
                """.write(toFile: extensions + "/keeper/keeper.py", atomically: false, encoding: .utf8)
                chmod(extensions + "/keeper/keeper.py", 0o755)
                var broadcast = studio.broadcast
                broadcast.environment["BROADCAST_EXTENSION_PATH"] = extensions
                let keyring = try await Keyring.start(in: studio.peers, home: broadcast.home)
                for environment in [[:], keyring.environment] {
                    var own = broadcast
                    own.environment.merge(environment) { $1 }
                    let setup = try await own.run(
                        ["setup", "keeper", "--secret-from-stdin", "token"]
                            + (environment.isEmpty ? ["--plain-file"] : []), reading: token + "\n")
                    #expect(setup.status == .exited(0), "\(setup.errors)")
                    let result = try await own.run(
                        ["start", "--to", "keeper", "--duration", "1s"], deadline: .seconds(60))
                    #expect(result.status == .exited(0), "\(result.errors)")
                    #expect(try String(contentsOfFile: studio.path("token"), encoding: .utf8) == token)
                    try FileManager.default.removeItem(atPath: studio.path("token"))
                    #expect(try await own.run(["sign-out", "keeper"]).status == .exited(0))
                }
            }
        }

        @Test func `A secret that is too long is refused and not cut`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                let result = try await broadcast.run(
                    ["setup", "mobcrush", "--secret-from-stdin", "key"], reading: String(repeating: "k", count: 65_537))
                #expect(result.status == .exited(64))
                expectSentence(in: result.errors, saying: ["64 KiB", "Nothing was changed"])
                #expect(
                    !FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mobcrush"))
            }
        }

        @Test func `An address with a password is refused, and its user and password are set up apart`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                for arguments in [
                    ["start", "--to", "rtmp://ann:\(Self.key)@live.example/app/k"],
                    ["setup", "custom", "--set", "url=rtmp://ann:\(Self.key)@live.example/app"],
                ] {
                    let result = try await broadcast.run(arguments, reading: "k\n")
                    #expect(result.status == .exited(64) && !result.errors.contains(Self.key))
                    expectSentence(in: result.errors, saying: ["--set user=USER --secret-from-stdin password"])
                }
                let setup = try await broadcast.run(
                    [
                        "setup", "custom", "--set", "url=rtmps://live.example/app", "--set", "user=ann",
                        "--secret-from-stdin", "password",
                    ],
                    reading: "p\n")
                // The key is still missing.
                #expect(setup.status == .exited(64) && setup.errors.contains("--secret-from-stdin key"))
                let key = try await broadcast.run(
                    [
                        "setup", "custom", "--set", "url=rtmps://live.example/app", "--set", "user=ann", "--plain-file",
                        "--secret-from-stdin", "key",
                    ],
                    reading: "k\n")
                #expect(key.status == .exited(0), "\(key.errors)")
                #expect(try await broadcast.run(["start", "--to", "custom"]).status == .exited(77))
                let password = try await broadcast.run(
                    ["setup", "custom", "--plain-file", "--secret-from-stdin", "password"], reading: "p\n")
                #expect(password.status == .exited(0), "\(password.errors)")
            }
        }

        @Test func `Nothing is stored unless it is clear where, and that nobody can read it on the way`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                let cases: [(arguments: [String], status: Int32, words: [String])] = [
                    // No keyring, and nobody to ask whether a file is right.
                    (["mobcrush", "--secret-from-stdin", "key"], 69, ["--plain-file", "Nothing was stored"]),
                    (
                        [
                            "custom", "--set", "url=rtmp://live.example/app/\(Self.key)", "--plain-file",
                            "--secret-from-stdin", "key",
                        ], 64,
                        ["--secret-from-stdin key", "Nothing was changed"]
                    ),
                    (
                        [
                            "hls", "--set", "url=http://live.example/app", "--set", "user=ann", "--plain-file",
                            "--secret-from-stdin", "password",
                        ], 64,
                        ["password", "http://", "Nothing was changed"]
                    ),
                ]
                for (arguments, status, words) in cases {
                    let result = try await broadcast.run(["setup"] + arguments, reading: Self.key + "\n")
                    #expect(result.status == .exited(status) && !result.errors.contains(Self.key), "\(result)")
                    expectSentence(in: result.errors, saying: words)
                }
                for folder in ["credentials", "setup"] {
                    let names =
                        (try? FileManager.default.contentsOfDirectory(
                            atPath: broadcast.home + "/data/broadcast/" + folder)) ?? []
                    #expect(names.isEmpty, "\(names)")
                }
                let local = try await broadcast.run(
                    [
                        "setup", "hls", "--set", "url=http://127.0.0.1:1/app", "--set", "user=ann", "--plain-file",
                        "--secret-from-stdin", "password",
                    ],
                    reading: Self.key + "\n")
                #expect(local.status == .exited(0), "\(local)")
            }
        }

        @Test func `A first connection waits for the network on request`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                try await server.peer.killNow()
                let peer = try studio.broadcast.start([
                    "start", "--to", server.url(key: Self.key), "--wait-for-network",
                ])
                try await peer.wait(for: "the wait") {
                    try await studio.status()?.destinations.first?.state == "reconnecting"
                }
                let again = try await server.startAgain(in: studio.peers)
                try await peer.wait(for: "a retry") {
                    if try await studio.broadcast.run(["retry"]).status == .exited(0) { return true }
                    // The destination's own next try preceded the command.
                    return try await studio.status()?.destinations.first?.state == "live"
                }
                try await peer.wait(for: "the stream", deadline: .seconds(60)) {
                    try await again.isPublishing(key: Self.key)
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }
    }
}
