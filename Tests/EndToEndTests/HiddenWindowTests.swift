import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A window that viewers must not see, through the whole program: no decoded frame shows a pixel of it, whatever it does.
    @Suite(.serialized)
    struct HiddenWindowTests {
        /// Seconds of each dance: more with BROADCAST_DANCE_SECONDS.
        private var seconds: Int { ProcessInfo.processInfo.environment["BROADCAST_DANCE_SECONDS"].flatMap { Int($0) } ?? 10 }

        @Test(arguments: WindowManagement.allCases) func `A window that a rule hides is in no frame, with its menus and dialogues`(
            management: WindowManagement
        )
            async throws
        {
            let sight = try await dance(["secret-reborn"], on: management) { _ in ["--hide", "class:secret"] }
            sight.expectHidden(seconds: seconds)
        }

        @Test(arguments: [WindowManagement.bare, .openboxAndPicom]) func `A window that excludes itself is in no frame`(management: WindowManagement)
            async throws
        {
            let sight = try await dance(["secret-reborn", "--exclude", "--seed", "2"], on: management) { _ in [] }
            sight.expectHidden(seconds: seconds)
        }

        @Test(arguments: [WindowManagement.bare, .openbox]) func `A window that is hidden by its number is in no frame`(management: WindowManagement)
            async throws
        {
            let sight = try await dance(["secret-dance", "--seed", "3"], on: management) { ["--hide", "id:\($0)"] }
            sight.expectHidden(seconds: seconds)
        }

        @Test(arguments: WindowManagement.allCases) func `Without a rule the same window is seen`(management: WindowManagement) async throws {
            let sight = try await dance(["secret-dance"], on: management, seconds: 3) { _ in [] }
            #expect(sight.frames > 20 && sight.revealing > sight.frames / 4, "\(sight)")
        }

        @Test func `The config hides windows too`() async throws {
            let sight = try await dance(["secret"], on: .openbox, seconds: 3, config: "[privacy]\nhide = [\"title:*SECRET\"]\n") { _ in [] }
            sight.expectHidden(seconds: 3)
        }

        @Test func `hide and unhide work while the broadcast runs`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let painter = try await PaintedScreen.start(["secret-dance"], on: screen.display, in: peers)
                let window = painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let file = try peers.makeFolder("recordings") + "/hide.mp4"
                let peer = try broadcast.start(["start", "--quality", "4", "--no-cursor", "--no-app-audio", "--to", file])
                // The dance leaves the window invisible for less than a second at a time.
                try await broadcast.waitUntilElapsed(2.5, of: peer)
                let hide = try await broadcast.run(["hide", String(window)])
                #expect(hide.status == .exited(0) && hide.output.hasPrefix("id:0x"), "\(hide.errors)")
                let begin = try await broadcast.elapsed()
                #expect(try await broadcast.run(["hide", String(window)]).status == .exited(1))
                try await broadcast.waitUntilElapsed(begin + 2, of: peer)
                let end = try await broadcast.elapsed()
                #expect(try await broadcast.run(["unhide", String(window)]).status == .exited(0))
                #expect(try await broadcast.run(["unhide", String(window)]).status == .exited(1))
                #expect(try await broadcast.run(["hide", "nonsense"]).status == .exited(64))
                try await broadcast.waitUntilElapsed(end + 3, of: peer)
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                var (before, within, after) = (Sight(), Sight(), Sight())
                try await FrameDecoder(file, layout: .rgb24).forEachFrame(in: peers) { frame in
                    if frame.pts < begin - 0.5 { before.add(frame) }
                    if frame.pts > begin && frame.pts < end - 0.1 { within.add(frame) }
                    if frame.pts > end + 1 { after.add(frame) }
                    return true
                }
                #expect(before.revealing > 0 && after.revealing > 0, "\(before), \(after)")
                #expect(within.frames > 20 && within.revealing == 0, "\(within)")
            }
        }

        @Test func `A broadcast that is stopped with SIGSTOP at any moment does not freeze the display`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                try await WindowManagement.openbox.start(on: screen, in: peers)
                try await PaintedScreen.start(["secret-reborn", "--fps", "60"], on: screen.display, in: peers)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let peer = try await broadcast.startLive(
                    ["--hide", "class:secret", "--fps", "120", "--no-app-audio", "--to", try peers.makeFolder("recordings") + "/out.mp4"])
                for _ in 0..<60 {
                    try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
                    peer.signal(SIGSTOP)
                    defer { peer.signal(SIGCONT) }
                    // It asks for no window: one that is destroyed meanwhile would be an error.
                    let client = try peers.start("client", ["xset", "q"], environment: screen.environment)
                    #expect(try await client.waitForExit() == .exited(0), "\(client.standardError)")
                }
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `The status lists the rules and how many windows they hide`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                try await PaintedScreen.start(["secret"], on: screen.display, in: peers)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let peer = try await broadcast.startLive(
                    [
                        "--hide", "class:Secret", "--hide", "class:Sceret", "--no-app-audio", "--to",
                        try peers.makeFolder("recordings") + "/out.mp4",
                    ])
                _ = try await peer.waitForErrorLine(containing: "No window matches class:Sceret now.")
                let status = try await broadcast.run(["status"])
                #expect(status.output.contains("  hidden: class:Secret (1 window), class:Sceret (no window now)\n"), "\(status.output)")
                let json = try await broadcast.run(["status", "--json"])
                #expect(json.output.contains("\"hidden_windows\""))
                let hide = try await broadcast.run(["hide", "class:Nothing"])
                #expect(hide.status == .exited(0) && hide.output == "class:Nothing\n")
                #expect(hide.errors.contains("No window matches class:Nothing now.") && hide.errors.contains("broadcast unhide class:Nothing"))
                let word = try await broadcast.run(["hide", "KeePassXC"])
                #expect(word.status == .exited(64) && word.errors.contains("for example class:KeePassXC."), "\(word.errors)")
                _ = try await broadcast.stop(peer)
            }
        }

        @Test func `A detached start reports a rule that matches no window before it returns`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let file = try peers.makeFolder("recordings") + "/out.mp4"
                let start = try await broadcast.run(["start", "--detach", "--hide", "class:Sceret", "--no-app-audio", "--to", file])
                #expect(start.status == .exited(0) && start.errors.contains("No window matches class:Sceret now."), "\(start.errors)")
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A window is picked to be hidden with a click`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let painter = try await PaintedScreen.start(["secret"], on: screen.display, in: peers)
                let window = painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let peer = try await broadcast.startLive(["--no-app-audio", "--to", try peers.makeFolder("recordings") + "/out.mp4"])
                let pick = try broadcast.start(["hide", "pick"])
                _ = try await pick.waitForErrorLine(containing: "Click the window")
                try await pick.wait(for: "the click to be taken") {
                    if pick.status == nil {
                        _ = try await peers.run("xdotool", ["xdotool", "mousemove", "150", "120", "click", "1"], environment: screen.environment)
                    }
                    return pick.status != nil
                }
                #expect(pick.status == .exited(0))
                #expect(pick.standardOutput == "id:\(window)\n")
                _ = try await broadcast.stop(peer)
            }
        }

        @Test(arguments: [
            ("hide = [\"klass:KeePassXC\"]", "privacy.hide: \"klass:KeePassXC\" is not a rule"),
            ("hide = [\"pid:many\"]", "privacy.hide: \"pid:many\" is not a rule"),
            ("hide = \"class:KeePassXC\"", "privacy.hide: this must be an array of strings"),
        ])
        func `A rule in the config that says nothing is an error with its line`(line: String, message: String) async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try broadcast.writeConfiguration("[privacy]\n" + line + "\n")
                let result = try await broadcast.run(["start", "--to", "never.mp4"])
                #expect(result.status == .exited(78))
                #expect(result.errors.contains("config.toml:2: " + message))
            }
        }

        @Test func `A rule on the command line that says nothing is an error of usage`() async throws {
            try await withPeers { peers in
                let result = try await BroadcastCommand(in: peers).run(["start", "--hide", "KeePassXC", "--to", "never.mp4"])
                #expect(result.status == .exited(64))
                #expect(result.errors.contains("--hide \"KeePassXC\" is not a rule. Write class:NAME"))
            }
        }

        /// What a recording shows.
        private struct Sight: CustomStringConvertible {
            var frames = 0
            /// Frames with at least one pixel of the window.
            var revealing = 0
            /// The loudest pixel: how much less green it has than red and blue.
            var loudest = 0
            /// Frames of which less than an eighth has the grey of the screen.
            var dark = 0

            var description: String { "\(frames) frames, \(revealing) show it (by up to \(loudest)), \(dark) show hardly anything" }

            func expectHidden(seconds: Int) {
                #expect(frames > max(25, 6 * seconds), "\(self)")
                #expect(revealing == 0, "\(self)")
                // A cover over everything would hide it too.
                #expect(dark < frames / 2, "\(self)")
            }

            mutating func add(_ frame: DecodedFrame) {
                frames += 1
                var (found, lit) = (0, 0)
                frame.bytes.withUnsafeBufferPointer { bytes in
                    for pixel in stride(from: 0, to: bytes.count, by: 3) {
                        found = max(found, Int(min(bytes[pixel], bytes[pixel + 2])) - Int(bytes[pixel + 1]))
                        if bytes[pixel + 1] > 90 { lit += 1 }
                    }
                }
                loudest = max(loudest, found)
                // Everything else on the screen is grey, or openbox's blue: a faded pixel counts as well as a full one.
                if found > 30 { revealing += 1 }
                if lit * 8 < frame.width * frame.height { dark += 1 }
            }
        }

        /// Records the scene; `options` are made of the window's number.
        private nonisolated(nonsending) func dance(
            _ scene: [String], on management: WindowManagement, seconds: Int? = nil, config: String? = nil, options: (String) -> [String]
        ) async throws -> Sight {
            var sight = Sight()
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                try await management.start(on: screen, in: peers)
                // Each place stays covered for a second where a compositor runs: a slower dance leaves something to be seen.
                let pace = management == .openboxAndPicom ? ["--fps", "8"] : []
                let painter = try await PaintedScreen.start(scene + pace, on: screen.display, in: peers)
                let window = painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                if let config { try broadcast.writeConfiguration(config) }
                let file = try peers.makeFolder("recordings") + "/dance.mp4"
                let result = try await broadcast.run(
                    ["start", "--quality", "4", "--no-cursor", "--no-app-audio", "--duration", "\(seconds ?? self.seconds)s", "--to", file]
                        + options(String(window)),
                    deadline: .seconds(60 + (seconds ?? self.seconds)))
                try #require(result.status == .exited(0), "\(result.errors)")
                try await FrameDecoder(file, layout: .rgb24).forEachFrame(in: peers) { frame in
                    sight.add(frame)
                    return true
                }
            }
            return sight
        }
    }
}
