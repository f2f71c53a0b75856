import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What goes wrong before a broadcast is live: one sentence, and the status that scripts go by.
    struct BadInputTests {
        /// Arguments of `start` that are wrong on any display.
        struct Case: Sendable, CustomTestStringConvertible {
            let arguments: [String]
            let status: Int32
            let words: [String]
            var testDescription: String { arguments.joined(separator: " ") }

            init(_ arguments: String..., status: Int32, saying words: String...) {
                self.arguments = arguments
                self.status = status
                self.words = words
            }
        }

        private static let wrongArguments = [
            Case("--display", missingDisplay, "--to", "a.mp4", status: 66, saying: missingDisplay, "X server"),
            Case("--to", "http://127.0.0.1/live/key", status: 64, saying: "http://", "rtmp://"),
            Case("--to", "file:///tmp/a.mp4", status: 64, saying: "--to", "its path alone"),
            Case("--to", "rtmp://", status: 64, saying: "host"),
            Case("--to", "rtmp://127.0.0.1", status: 64, saying: "stream key"),
            Case("--to", "rtmp://127.0.0.1:99999/live/key", status: 64, saying: "port"),
            Case("--to", "rtmp", status: 64, saying: "address"),
            Case("--to", "-", "--to", "-", status: 64, saying: "once"),
            Case("--to", "a.mp4", "--to", "a.mp4", status: 64, saying: "twice"),
            Case("--to", "a.mp4", "--to", "./a.mp4", status: 64, saying: "twice"),
            Case("--to", "rtmp://127.0.0.1/live/key", "--to", "rtmp://127.0.0.1/live/key", status: 64, saying: "twice"),
            Case("--to", "a.mp4", "--clip-buffer", "soon", status: 64, saying: "--clip-buffer"),
            Case("--to", "-", "--detach", status: 64, saying: "--detach"),
            Case("--to", "/dev/stdout", "--detach", status: 64, saying: "--detach"),
            Case("--to", "a.mp4", "--bitrate", "0", status: 64, saying: "--bitrate"),
            Case("--to", "a.mp4", "--bitrate", "1000000000", status: 64, saying: "--bitrate"),
            Case("--to", "a.mp4", "--bitrate", "99999999999999999999", status: 64, saying: "--bitrate"),
            Case("--to", "a.mp4", "--bitrate=-1", status: 64, saying: "--bitrate"),
            Case("--to", "a.mp4", "--bitrate", "3000", "--quality", "20", status: 64, saying: "--bitrate", "--quality"),
            Case("--to", "a.mp4", "--size", "0x0", status: 64, saying: "--size"),
            Case("--to", "a.mp4", "--size", "1000000000x1000000000", status: 64, saying: "--size"),
            Case("--to", "a.mp4", "--size", "wide", status: 64, saying: "--size"),
            Case("--to", "a.mp4", "--fps", "0", status: 64, saying: "--fps"),
            Case("--to", "a.mp4", "--fps", "1000000000", status: 64, saying: "--fps"),
            Case("--to", "a.mp4", "--quality", "52", status: 64, saying: "--quality"),
            Case("--to", "a.mp4", "--quality", "nan", status: 64, saying: "--quality"),
            Case("--to", "a.mp4", "--duration", "0s", status: 64, saying: "--duration"),
            Case("--to", "a.mp4", "--duration", "soon", status: 64, saying: "--duration"),
            Case("--to", "a.mp4", "--duration", "-5s", status: 64, saying: "--duration", "-5s begins with -"),
            Case("--to", "-a.mp4", status: 64, saying: "broadcast: --to has no value", "--to ./-a.mp4"),
            Case("--to", "a.mp4", "--keyframe-interval", "0", status: 64, saying: "--keyframe-interval"),
            Case("--to", "a.mp4", "--preset", "quick", status: 64, saying: "quick", "veryfast"),
            Case("--to", "a.mp4", "--latency", "none", status: 64, saying: "--latency"),
            Case("--to", "a.mp4", "--chroma", "422", status: 64, saying: "--chroma", "420", "444"),
            Case("--to", "rtmp://127.0.0.1/live/key", "--chroma", "444", status: 64, saying: "--chroma 444", "live"),
            Case(
                "--to", "a.mp4", "--to", "rtmp://127.0.0.1/live/key", "--chroma", "444", status: 64,
                saying: "--chroma 444", "live"),
            Case("--to", "a.mp4", "--frame-pacing", "odd", status: 64, saying: "--frame-pacing"),
            Case("--to", "a.mp4", "--audio-bitrate", "1", status: 64, saying: "--audio-bitrate"),
            Case("--to", "a.mp4", "--format", "gif", status: 64, saying: "gif", "mp4"),
            Case("--to", "./a.webm", status: 64, saying: ".webm", "--format"),
            Case("--to", "a.avi", status: 64, saying: ".avi", ".mp4"),
            Case("--to", "a.mp4", "--bitrate", "fast", status: 64, saying: "--bitrate fast", "6M"),
            Case(
                "--to", "a.mp4", "--no-audio", status: 64, saying: "Did you mean --no-app-audio?",
                "broadcast start --help"),
            Case("--to", "a.mp4", "--key", "k3y", status: 64, saying: "--key", "broadcast setup NAME"),
            Case("a.mp4", status: 64, saying: "broadcast start --to a.mp4"),
            Case("--to", "a.mp4", "--session", "../etc", status: 64, saying: "--session"),
            Case("--to", "a.mp4", "--colour", "red", status: 64, saying: "--colour"),
            Case(
                "--to", "/nowhere/at/all/a.mp4", status: 73, saying: "/nowhere/at/all/a.mp4",
                "its folder does not exist"),
            Case("--to", "/proc/a.mp4", status: 73, saying: "/proc/a.mp4"),
        ]

        @Test func `Wrong arguments give one sentence and the status for it`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                for wrong in Self.wrongArguments { try await expect(wrong, from: broadcast) }
            }
        }

        private nonisolated(nonsending) func expect(_ wrong: Case, from broadcast: BroadcastCommand) async throws {
            let result = try await broadcast.run(["start"] + wrong.arguments)
            #expect(result.status == .exited(wrong.status), "\(wrong.testDescription): \(result.errors)")
            #expect(result.output == "", "\(wrong.testDescription)")
            expectSentence(in: result.errors, saying: wrong.words)
            // Nothing was visible, so nothing says that it is.
            #expect(!result.errors.contains("visible"), "\(wrong.testDescription): \(result.errors)")
        }

        @Test(arguments: [["help", "nosuch"], ["nosuch", "--help"], ["nosuch", "-h"]])
        func `Help about a command that does not exist is an error`(arguments: [String]) async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                let result = try await broadcast.run(arguments)
                #expect(result.status == .exited(64) && result.output.isEmpty)
                expectSentence(in: result.errors, saying: ["nosuch"])
                for known in [["help", "stop"], ["stop", "--help"], ["help", "rules"], ["help"]] {
                    #expect(try await broadcast.run(known).status == .exited(0))
                }
            }
        }

        @Test func `A password in an address is refused, and is shown nowhere`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try await ShippedExtensions.lay(in: peers)
                let address = "http://bob:hunter22@127.0.0.1/live/"
                let given = try await broadcast.run(["start", "--to", "hls:" + address])
                #expect(given.status == .exited(64))
                expectSentence(in: given.errors, saying: ["broadcast setup hls", "--to"])
                try broadcast.writeConfiguration(
                    "\n[destinations.web]\nextension = \"hls\"\nsetup = { url = \"\(address)\" }\n")
                let configured = try await broadcast.run(["start", "--to", "web"])
                #expect(configured.status == .exited(78))
                expectSentence(in: configured.errors, saying: ["config.toml:4", "setup.url", "broadcast setup web"])
                #expect(!(given.errors + configured.errors).contains("hunter22"))
            }
        }

        @Test func `Without DISPLAY, the error says how to select a display`() async throws {
            try await withPeers { peers in
                let result = try await BroadcastCommand(in: peers).run(["start", "--to", "a.mp4"])
                #expect(result.status == .exited(66))
                // Nothing is visible, so nothing says so.
                #expect(!result.errors.contains("visible"), "\(result.errors)")
                expectSentence(in: result.errors, saying: ["DISPLAY", "--display"])
            }
        }

        @Test(arguments: [["list-sources"], ["captured"], ["preview", "a.png"], ["start", "--to", "a.mp4"]])
        func `An X server that is stopped is an error, and no wait without an end`(arguments: [String]) async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                screen.peer.signal(SIGSTOP)
                let result = try await broadcast.run(arguments)
                screen.peer.signal(SIGCONT)
                #expect(result.status == .exited(69), "\(result.errors)")
                expectSentence(in: result.errors, saying: [screen.display, "does not answer"])
            }
        }

        @Test func `A refused connection is reported with host and port`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let result = try await studio.broadcast.run(["start", "--to", "rtmp://127.0.0.1:\(port)/live/key"])
                #expect(result.status == .exited(69))
                expectSentence(in: result.errors, saying: ["127.0.0.1", "\(port)", "nothing listens there"])
            }
        }

        @Test func `The error for an unknown destination suggests the nearest name`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try broadcast.writeConfiguration("[destinations.archive]\nextension = \"file\"\n")
                for arguments in [["start", "--to", "archvie"], ["picker", "--preferred", "archvie"]] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(66))
                    expectSentence(in: result.errors, saying: ["archvie", "Did you mean archive?"])
                }
            }
        }

        @Test func `Nothing to stop is status 1`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                for arguments in [["stop"], ["stop", "--session", "other"], ["stop", "--all"]] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(1))
                    expectSentence(in: result.errors, saying: ["No session"])
                }
                let status = try await broadcast.run(["status"])
                #expect(status.status == .exited(0) && status.output == "Nothing is being broadcast.\n")
            }
        }

        @Test func `A second broadcast of the same name is refused and leaves the first alone`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("a.mp4")])
                let result = try await studio.broadcast.run(["start", "--to", studio.path("a.mp4")])
                #expect(result.status == .exited(1))
                expectSentence(in: result.errors, saying: ["default", "broadcast stop", "--session"])
                #expect(try FileManager.default.contentsOfDirectory(atPath: studio.folder) == ["a.mp4"])
                #expect(try await studio.status()?.state == "live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                try await studio.media("a.mp4").expectDecodable()
            }
        }

        private static let brokenConfigurations: [(text: String, line: Int, words: [String])] = [
            ("[video]\nfps = \"30\"\n", 2, ["video.fps", "whole number"]),
            ("[video]\nbitrate = 0\n", 2, ["video.bitrate"]),
            ("[video]\n\nbitrat = 3000\n", 3, ["video.bitrat", "did you mean bitrate?"]),
            ("[vidoe]\nfps = 30\n", 1, ["vidoe", "did you mean video?"]),
            ("preferred = 7\n", 1, ["preferred", "string"]),
            (
                "\npreferred = \"archvie\"\n[destinations.archive]\nextension = \"file\"\n", 2,
                ["preferred:", "did you mean archive?"]
            ),
            ("preferred = \"rtmp\"\n", 1, ["preferred:", "rtmp"]),
            ("[video]\npreset = \"quick\"\n", 2, ["video.preset", "quick", "veryfast"]),
            ("[video]\nfps = 30\nsize = \"wide\"\n", 3, ["video.size", "wide", "1280x720"]),
            (
                "[destinations.one]\nextension = \"file\"\nformat = \"gif\"\n", 3,
                ["destinations.one.format", "gif", "mp4"]
            ),
            (
                "[destinations.one]\nextension = \"rtmp\"\nurl = \"http://127.0.0.1/k3y\"\n", 3,
                ["destinations.one.url", "rtmp://"]
            ),
            (
                "[destinations.one]\nservice = \"twitch\"\nurl = \"rtmp://127.0.0.1:0/a\"\n", 3,
                ["destinations.one.url", "port"]
            ),
            ("[audio]\nmic = 1\n", 2, ["audio.mic", "true or false"]),
            ("# fine\n[video\nfps = 30\n", 2, []),
            ("[video]\nfps = \n", 2, []),
            ("[video]\nfps = 30\nfps = 60\n", 3, ["fps"]),
            ("[destinations.one]\nurl = \"rtmp://127.0.0.1/live\"\n", 1, ["destinations.one", "extension"]),
            ("[destinations.one]\nextension = \"rtpm\"\n", 2, ["destinations.one.extension", "rtpm"]),
            ("[destinations.one]\nextension = \"rtmp\"\n", 1, ["destinations.one", "url"]),
        ]

        @Test func `An invalid configuration is reported with file, line and key`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                for broken in Self.brokenConfigurations {
                    try broadcast.writeConfiguration(broken.text)
                    for arguments in [["start", "--to", "a.mp4"], ["list-destinations"]] {
                        let result = try await broadcast.run(arguments)
                        #expect(result.status == .exited(78), "\(broken.text)")
                        expectSentence(
                            in: result.errors, saying: ["broadcast/config.toml:\(broken.line):"] + broken.words)
                        #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
                    }
                }
            }
        }

        @Test func `Commands that do not need the configuration work with an invalid one`() async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let broadcast = studio.broadcast
                #expect(try await signIn("mobcrush", key: "k3y", inFile: true, broadcast).status == .exited(0))
                try broadcast.writeConfiguration("x = \n")
                for (arguments, status) in [
                    (["captured"], Int32(1)), (["list-sources"], 0), (["list-extensions"], 0), (["forget-source"], 1),
                    (["check-extension", studio.folder], 66), (["status"], 0), (["sign-out", "mobcrush"], 0),
                ] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(status), "\(arguments): \(result.errors)")
                    let isWarned = result.errors.contains("config.toml:1:")
                    #expect(isWarned == (arguments.first == "sign-out"), "\(arguments): \(result.errors)")
                }
                #expect(
                    !FileManager.default.fileExists(atPath: broadcast.home + "/data/broadcast/credentials/mobcrush"))
                // Whether there is such a destination is not known.
                let again = try await broadcast.run(["sign-out", "mobcrush"])
                #expect(again.status == .exited(78))
                expectSentence(in: again.errors, saying: ["config.toml:1:"])
            }
        }

        @Test func `An invalid duration is reported with the option that contains it`() async throws {
            try await withPeers { peers in
                let result = try await BroadcastCommand(in: peers).run(["clip", "--last", "soon"])
                #expect(result.status == .exited(64))
                expectSentence(in: result.errors, saying: ["--last soon"])
            }
        }

        @Test func `A failure that ends the broadcast is said once, and kept in the log`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let result = try await studio.broadcast.run(["start", "--to", "rtmp://127.0.0.1:\(port)/live/key"])
                #expect(result.status == .exited(69))
                #expect(result.errors.components(separatedBy: "\(port)").count == 2, "\(result.errors)")
                #expect(try await studio.broadcast.run(["logs"]).output.contains("rtmp: failed."))
            }
        }

        @Test func `An unknown command or flag is one sentence`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                for (arguments, word) in [
                    (["strat"], "Did you mean start?"), (["stop", "--now"], "--now"), (["status", "extra"], "extra"),
                    (["talk.mp4"], "broadcast start --to talk.mp4"), (["--to", "talk.mp4"], "broadcast start --to"),
                ] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(64))
                    expectSentence(in: result.errors, saying: [word])
                }
            }
        }
    }
}
