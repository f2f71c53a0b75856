import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The commands and options that hide windows. `HiddenByRuleTests` and `HiddenSingleWindowTests` look at windows
    /// that move.
    struct HiddenWindowTests {
        @Test(arguments: WindowManagement.allCases) func `Without a rule the same window is seen`(
            management: WindowManagement
        ) async throws {
            let sight = try await HiddenWindowSight.dance(["secret-dance"], on: management, seconds: 3) { _ in [] }
            #expect(sight.frames > 20 && sight.revealing > sight.frames / 4, "\(sight)")
        }

        @Test func `hide and unhide work while the broadcast runs`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let painter = try await PaintedScreen.start(["secret-dance"], on: screen.display, in: peers)
                let window =
                    painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let file = try peers.makeFolder("recordings") + "/hide.mp4"
                let peer = try broadcast.start([
                    "start", "--quality", "4", "--no-cursor", "--no-app-audio", "--to", file,
                ])
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
                var (before, within, after) = (HiddenWindowSight(), HiddenWindowSight(), HiddenWindowSight())
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
                    [
                        "--hide", "class:secret", "--fps", "120", "--no-app-audio", "--to",
                        try peers.makeFolder("recordings") + "/out.mp4",
                    ])
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
                #expect(
                    status.output.contains("  hidden: class:Secret (1 window), class:Sceret (no window now)\n"),
                    "\(status.output)")
                let json = try await broadcast.run(["status", "--json"])
                #expect(json.output.contains("\"hidden_windows\""))
                let hide = try await broadcast.run(["hide", "class:Nothing"])
                #expect(hide.status == .exited(0) && hide.output == "class:Nothing\n")
                #expect(
                    hide.errors.contains("No window matches class:Nothing now.")
                        && hide.errors.contains("broadcast unhide class:Nothing"))
                let word = try await broadcast.run(["hide", "KeePassXC"])
                #expect(
                    word.status == .exited(64)
                        && word.errors.contains("for example class:KeePassXC or title:*KeePassXC*."),
                    "\(word.errors)")
                _ = try await broadcast.stop(peer)
            }
        }

        @Test func `A detached start reports a rule that matches no window before it returns`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let file = try peers.makeFolder("recordings") + "/out.mp4"
                let start = try await broadcast.run([
                    "start", "--detach", "--hide", "class:Sceret", "--no-app-audio", "--to", file,
                ])
                #expect(
                    start.status == .exited(0) && start.errors.contains("No window matches class:Sceret now."),
                    "\(start.errors)")
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A window is picked to be hidden with a click`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
                let painter = try await PaintedScreen.start(["secret"], on: screen.display, in: peers)
                let window =
                    painter.standardOutput.split(separator: "\n").first { $0.hasPrefix("window ") }?.dropFirst(7) ?? ""
                let broadcast = try BroadcastCommand(in: peers, display: screen.display)
                let peer = try await broadcast.startLive([
                    "--no-app-audio", "--to", try peers.makeFolder("recordings") + "/out.mp4",
                ])
                let pick = try broadcast.start(["hide", "pick"])
                _ = try await pick.waitForErrorLine(containing: "Click the window")
                try await pick.wait(for: "the click to be taken") {
                    if pick.status == nil {
                        _ = try await peers.run(
                            "xdotool", ["xdotool", "mousemove", "150", "120", "click", "1"],
                            environment: screen.environment)
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
        func `A rule in the config that says nothing is an error with its line`(line: String, message: String)
            async throws
        {
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
                let result = try await BroadcastCommand(in: peers).run([
                    "start", "--hide", "KeePassXC", "--to", "never.mp4",
                ])
                #expect(result.status == .exited(64))
                #expect(result.errors.contains("--hide \"KeePassXC\" is not a rule. Write class:NAME"))
            }
        }
    }
}
