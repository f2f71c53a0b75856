import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// A Wayland desktop: what is shared through its portal, what is remembered, and how that ends.
    struct WaylandTests {
        // MARK: Pictures

        @Test func `The shared monitor is recorded and published, with a line that asks the user to choose`()
            async throws
        {
            try await withDesktop { desktop, broadcast, folder in
                let server = try await NginxRTMP.start(
                    in: desktop.peers, live: "record all; record_path \(folder); record_suffix .flv;")
                let live = try await broadcast.startLive([
                    "--ask", "--to", folder + "/out.mp4", "--to", server.url(key: "key"),
                ])
                try await broadcast.waitUntilElapsed(3, of: live)
                let source = try #require(
                    try await broadcast.statusText().range(of: #""source":\{[^}]*\}"#, options: .regularExpression))
                let status = String(try await broadcast.statusText()[source])
                #expect(
                    status.contains(#""kind":"monitor""#) && status.contains(#""display":"wayland-0""#)
                        && status.contains(#""shared":true"#))
                _ = try await broadcast.stop(live)
                #expect(live.standardError.contains("Choose what to share in the dialog"))
                #expect(live.standardError.contains("The monitor that you shared will be visible."))
                for name in ["out.mp4", "key.flv"] {
                    let media = MediaFile(path: folder + "/" + name, peers: desktop.peers)
                    let clock = try await ClockTrack.read(FrameDecoder(media.path, size: (640, 360)), in: desktop.peers)
                    #expect(
                        clock.unreadableAfterFirst == 0 && clock.isRunning,
                        "\(name): \(clock.unreadableAfterFirst), \(clock.fault ?? "")")
                }
                try await MediaFile(path: folder + "/out.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        @Test func `A pause, a lock and a rule that hides windows show the slate, and nothing of the time before`()
            async throws
        {
            try await withDesktop { desktop, broadcast, folder in
                let screenSaver = try await FakeDesktop.start(on: desktop.busAddress, in: desktop.peers)
                let path = folder + "/out.ts"
                let live = try await broadcast.startLive(["--ask", "--frame-pacing", "constant", "--to", path])
                var times: [ClosedRange<Double>] = []
                for kind in ["pause", "hide", "lock"] {
                    try await broadcast.waitForMoreSeconds(1, of: live)
                    switch kind {
                    case "pause": #expect(try await broadcast.run(["pause"]).status == .exited(0))
                    case "hide":
                        let result = try await broadcast.run(["hide", "class:KeePassXC"])
                        #expect(
                            result.status == .exited(0) && result.errors.contains("viewers see a slate"), "\(result)")
                    default:
                        // GNOME ends the sharing, and reports the lock after that.
                        try await desktop.set("do=close")
                        try await screenSaver.setLocked(true)
                        try await live.wait(for: "the lock") { try await broadcast.statusText().contains("\"locked\"") }
                    }
                    let begin = try await broadcast.elapsed()
                    try await broadcast.waitForMoreSeconds(1, of: live)
                    let end = try await broadcast.elapsed()
                    switch kind {
                    case "pause": #expect(try await broadcast.run(["resume"]).status == .exited(0))
                    case "hide": #expect(try await broadcast.run(["unhide", "class:KeePassXC"]).status == .exited(0))
                    default: try await screenSaver.setLocked(false)
                    }
                    times.append(begin...end)
                }
                try await live.wait(for: "the sharing after the lock") { desktop.asked("restored").count == 1 }
                try await broadcast.waitForMoreSeconds(2, of: live)
                _ = try await broadcast.stop(live)
                // The pause is cut out, but for the slate until the desktop has sent a new picture. The others are
                // slates.
                let track = try await PictureTrack.read(FrameDecoder(path, size: (640, 360)), in: desktop.peers)
                let order = track.order.drop { $0 == "s" }
                #expect(["cscsc", "cscscsc"].contains(order) && track.count(.other) == 0, "\(track)")
                let clock = try await ClockTrack.read(FrameDecoder(path, size: (640, 360)), in: desktop.peers)
                // What was painted meanwhile is in no frame: the painted time leaps over each of the three.
                let leaps = zip(clock.readings, clock.readings.dropFirst()).map {
                    Double($1.milliseconds &- $0.milliseconds) / 1000
                }.filter {
                    $0 > 0.8
                }
                #expect(leaps.count == 3 && leaps.allSatisfy { $0 < 30 }, "\(leaps) \(times)")
            }
        }

        @Test func `A desktop that takes the memory of a picture away ends no broadcast`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let live = try await broadcast.startLive(["--ask", "--to", folder + "/out.mp4"])
                try await broadcast.waitForMoreSeconds(1, of: live)
                // The picture is read after its memory is gone.
                try await desktop.send("stop", "silent")
                live.signal(SIGSTOP)
                // A picture without a change would not be read.
                try await desktop.send("fill ff00ff00 0 0 640 360", "send", "shrink", "loud")
                // Before it goes on: it can be faster than the answer.
                let starts = try await desktop.send("starts")
                live.signal(SIGCONT)
                try await live.wait(for: "the next stream") { try await desktop.send("starts") != starts }
                try await live.wait(for: "the picture") { try await !broadcast.statusText().contains("\"withheld\"") }
                _ = try await broadcast.stop(live)
                try await MediaFile(path: folder + "/out.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        // MARK: Choosing

        @Test func `A remembered monitor needs no dialog and no user, and is listed and forgotten`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let unattended = try await broadcast.run([
                    "start", "--no-dialog", "--duration", "1s", "--to", folder + "/a.mp4",
                ])
                #expect(unattended.status == .exited(77))
                expectSentence(in: unattended.errors, saying: ["broadcast start", "--no-dialog"])
                // systemd names the process that it started for a unit.
                let unit = try await desktop.peers.start(
                    "unit",
                    [
                        "sh", "-c",
                        "SYSTEMD_EXEC_PID=$$ exec '\(broadcast.binary)' start --duration 1s --to '\(folder)/a.mp4'",
                    ],
                    environment: broadcast.environment
                ).waitForExit()
                #expect(unit == .exited(77))
                #expect(desktop.asked("Start").isEmpty && !FileManager.default.fileExists(atPath: folder + "/a.mp4"))
                let asked = try await broadcast.run(["start", "--ask", "--duration", "1s", "--to", folder + "/a.mp4"])
                #expect(asked.status == .exited(0), "\(asked.errors)")
                let remembered = try await broadcast.run(["start", "--duration", "1s", "--to", folder + "/b.mp4"])
                #expect(
                    remembered.status == .exited(0) && !remembered.errors.contains("Choose"), "\(remembered.errors)")
                let list = try await broadcast.run(["list-sources"])
                #expect(list.output.contains("remembered  wayland-0  1920x1080+0+0"), "\(list)")
                let json = try await broadcast.run(["list-sources", "--json"])
                #expect(json.output.contains("\"remembered\"") && !json.output.contains("token"), "\(json)")
                let forgotten = try await broadcast.run(["forget-source"])
                #expect(forgotten.status == .exited(0) && forgotten.output == "wayland-0\n", "\(forgotten)")
                let again = try await broadcast.run(["forget-source"])
                #expect(again.status == .exited(1))
                expectSentence(in: again.errors, saying: ["wayland-0"])
                #expect(
                    try await broadcast.run(["start", "--no-dialog", "--duration", "1s", "--to", folder + "/c.mp4"])
                        .status == .exited(77))
                // A key binding has no terminal, and a user.
                let bound = try await broadcast.run(["start", "--duration", "1s", "--to", folder + "/c.mp4"])
                #expect(bound.status == .exited(0) && bound.errors.contains("Choose"), "\(bound)")
            }
        }

        @Test func `On a terminal, an error has a line of its own`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                try await desktop.set("answer=cancel")
                let terminal = try desktop.peers.start(
                    "terminal",
                    [
                        "script", "-q", "-e", "-c", "'\(broadcast.binary)' start --ask --to '\(folder)/a.mp4'",
                        "/dev/null",
                    ],
                    environment: broadcast.environment)
                #expect(try await terminal.waitForExit() == .exited(1))
                let error = try #require(terminal.standardOutput.range(of: "broadcast: Nothing was chosen"))
                let before = terminal.standardOutput[..<error.lowerBound]
                // The status line was removed, or there was none.
                #expect(before.hasSuffix("\u{1b}[K") || before.hasSuffix("\n"), "\(before.suffix(60).debugDescription)")
            }
        }

        @Test func `A detached start asks, and Ctrl-C takes the dialog back`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let detached = try await broadcast.run(["start", "--ask", "--detach", "--to", folder + "/a.mp4"])
                #expect(
                    detached.status == .exited(0) && detached.errors.contains("Choose what to share in the dialog"),
                    "\(detached)")
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                try await desktop.set("answer=hang")
                for (arguments, expected) in [
                    (["start", "--ask"], 1 as Int32), (["start", "--ask", "--detach"], 130),
                ] {
                    let before = (
                        desktop.asked("dialog").count,
                        desktop.asked("Session.Close").count + desktop.asked("Request.Close").count
                    )
                    let waiting = try broadcast.start(arguments + ["--to", folder + "/b.mp4"])
                    try await waiting.wait(for: "the dialog") { desktop.asked("dialog").count > before.0 }
                    waiting.signal(SIGINT)
                    let status = try await waiting.waitForExit()
                    #expect(status == .exited(expected), "\(status) \(waiting.standardError)")
                    #expect(waiting.standardError.contains(expected == 1 ? "nothing was started" : "nothing is live"))
                    try await waitUntil("the end of the dialog") {
                        desktop.asked("Session.Close").count + desktop.asked("Request.Close").count > before.1
                    }
                }
                #expect(!FileManager.default.fileExists(atPath: folder + "/b.mp4"))
            }
        }

        @Test func `A preview shows what viewers would see`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let result = try await broadcast.run(["preview", "--ask", folder + "/view.png"])
                #expect(result.status == .exited(0), "\(result.errors)")
                let clock = try await ClockTrack.read(
                    FrameDecoder(folder + "/view.png", size: (640, 360)), in: desktop.peers)
                #expect(clock.readings.count == 1)
            }
        }

        @Test func `captured watches the desktop, not a display`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                #expect(try await broadcast.run(["captured"]).output == "not captured\n")
                let waiting = try broadcast.start(["captured", "--wait"])
                let live = try await broadcast.startLive(["--ask", "--to", folder + "/a.mp4"])
                #expect(try await waiting.waitForExit() == .exited(0))
                #expect(try await broadcast.run(["captured"]).output == "captured\n")
                let end = try broadcast.start(["captured", "--wait-end"])
                _ = try await broadcast.stop(live)
                #expect(try await end.waitForExit() == .exited(0))
            }
        }

        @Test func `A program that uses the library shares the monitor too`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                try broadcast.writeConfiguration(
                    "[destinations.archive]\nextension = \"file\"\npath = \"\(folder)/kit.mp4\"\n")
                let answer = try await desktop.peers.run(
                    "in-app", [try BuiltPrograms.path(of: "in-app"), "archive"], environment: broadcast.environment)
                #expect(answer.contains("started") && answer.contains("stopped("), "\(answer)")
                let clock = try await ClockTrack.read(
                    FrameDecoder(folder + "/kit.mp4", size: (640, 360)), in: desktop.peers)
                #expect(clock.unreadableAfterFirst == 0 && clock.isRunning, "\(clock.fault ?? "")")
                try await desktop.set("answer=cancel")
                #expect(try await broadcast.run(["forget-source"]).status == .exited(0))
                let cancelled = try desktop.peers.start(
                    "in-app", [try BuiltPrograms.path(of: "in-app"), "archive"], environment: broadcast.environment)
                #expect(try await cancelled.waitForExit() == .exited(1))
                #expect(cancelled.standardError == "The user chose nothing to share.\n")
            }
        }

        // MARK: Ends

        @Test func `A sharing that is stopped in the desktop ends the broadcast cleanly`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let live = try await broadcast.startLive(["--ask", "--to", folder + "/a.mp4"])
                try await broadcast.waitUntilElapsed(2, of: live)
                try await desktop.set("do=close")
                #expect(try await live.waitForExit() == .exited(0), "\(live.standardError)")
                #expect(live.standardError.contains("The desktop ended the sharing"))
                // Nothing is shared again without the user.
                #expect(desktop.asked("Start").count == 1)
                try await MediaFile(path: folder + "/a.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        @Test(arguments: ["cast", "pipewire", "bus"])
        func `What was recorded is complete when a part of the desktop ends`(part: String) async throws {
            try await withDesktop { desktop, broadcast, folder in
                let live = try await broadcast.startLive(["--ask", "--to", folder + "/a.mp4"])
                try await broadcast.waitUntilElapsed(1.5, of: live)
                switch part {
                case "cast": try await desktop.cast.killNow()
                case "pipewire": try await desktop.pipeWire.killNow()
                default:
                    // The stream does not need the bus.
                    try await desktop.bus.killNow()
                    try await broadcast.waitForMoreSeconds(1, of: live)
                    #expect(try await broadcast.run(["stop"]).status == .exited(0))
                }
                let status = try await live.waitForExit()
                #expect(status == .exited(part == "bus" ? 0 : 69), "\(live.standardError)")
                if part != "bus" { #expect(live.standardError.contains("What was recorded until then is complete.")) }
                try await MediaFile(path: folder + "/a.mp4", peers: desktop.peers).expectDecodable()
            }
        }

        // MARK: What cannot be

        @Test func `Options that a Wayland desktop does not allow are refused, each with the reason`() async throws {
            try await withDesktop { desktop, broadcast, folder in
                let cases: [([String], Int32, [String])] = [
                    (["--monitor", "DP-1"], 64, ["--monitor", "dialog"]),
                    (["--window", "0x1400003"], 64, ["--window pick"]),
                    (["--window", "active"], 64, ["--window pick"]), (["--follow-focus"], 64, ["--follow-focus"]),
                    (["--display", ":0"], 64, ["--display", "--source x11"]),
                    (["--hide", "class:KeePassXC"], 66, ["only in part", "--window pick"]),
                    (["--source", "other"], 64, ["x11", "portal"]), (["--region", "10x10"], 64, ["--region"]),
                    (["--region", "64x64+5000+0"], 66, ["640x360"]), (["--source", "x11"], 64, ["--ask"]),
                    (["--no-dialog"], 64, ["--ask", "--no-dialog"]),
                    (["--monitor-timeout", "soon"], 64, ["--monitor-timeout"]),
                ]
                for (arguments, status, words) in cases {
                    let result = try await broadcast.run(
                        ["start", "--ask", "--duration", "1s", "--to", folder + "/a.mp4"] + arguments)
                    #expect(result.status == .exited(status), "\(arguments): \(result)")
                    expectSentence(in: result.errors, saying: words)
                }
                #expect(!FileManager.default.fileExists(atPath: folder + "/a.mp4"))
                try broadcast.writeConfiguration("[privacy]\nhide = [\"class:KeePassXC\"]\n")
                let before = desktop.asked("CreateSession").count
                let hidden = try await broadcast.run(["start", "--ask", "--duration", "1s", "--to", folder + "/a.mp4"])
                #expect(hidden.status == .exited(66) && desktop.asked("CreateSession").count == before)
                let window = try await broadcast.run([
                    "start", "--window", "pick", "--ask", "--duration", "1s", "--to", folder + "/w.mp4",
                ])
                #expect(window.status == .exited(0), "\(window.errors)")
            }
        }

        @Test func `Each part of the desktop that is missing is named with its package`() async throws {
            try await withDesktop(clock: false) { desktop, broadcast, folder in
                func refusal(of command: BroadcastCommand) async throws -> BroadcastCommand.Result {
                    try await command.run(["start", "--ask", "--duration", "1s", "--to", folder + "/a.mp4"])
                }
                for (setting, status, words) in [
                    ("answer=cancel", 1, ["dialog"]), ("answer=other", 69, ["refused"]),
                    ("types=0", 69, ["xdg-desktop-portal-gnome"]),
                ] as [(String, Int32, [String])] {
                    try await desktop.set(setting)
                    let result = try await refusal(of: broadcast)
                    #expect(result.status == .exited(status), "\(setting): \(result)")
                    expectSentence(in: result.errors, saying: words)
                }
                try await desktop.portal?.killNow()
                expectSentence(in: try await refusal(of: broadcast).errors, saying: ["xdg-desktop-portal"])
                var broken = broadcast
                broken.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nonexistent"
                expectSentence(in: try await refusal(of: broken).errors, saying: ["DBUS_SESSION_BUS_ADDRESS"])
            }
        }

        @Test func `Without libpipewire, X11 is captured as before, and a Wayland desktop is refused with the package`()
            async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                // The loader finds this file first, and it is no library.
                let folder = try peers.makeFolder("libraries")
                try "none".write(toFile: folder + "/libpipewire-0.3.so.0", atomically: true, encoding: .utf8)
                broadcast.environment["LD_LIBRARY_PATH"] = folder
                broadcast.environment["XDG_SESSION_TYPE"] = "wayland"
                let refused = try await broadcast.run(["start", "--ask", "--duration", "1s", "--to", folder + "/a.mp4"])
                #expect(refused.status == .exited(69))
                expectSentence(in: refused.errors, saying: ["libpipewire-0.3-0"])
                let shown = try await broadcast.run([
                    "start", "--source", "x11", "--duration", "1s", "--to", folder + "/b.mp4",
                ])
                #expect(shown.status == .exited(0), "\(shown.errors)")
                try await MediaFile(path: folder + "/b.mp4", peers: peers).expectDecodable()
            }
        }

        // MARK: Helpers

        /// Runs a test on a desktop whose monitor shows the painted clock.
        private func withDesktop(
            clock: Bool = true, _ body: (SharedDesktop, BroadcastCommand, String) async throws -> Void
        ) async throws {
            try await withPeers { peers in
                let desktop = try await SharedDesktop.start(in: peers)
                if clock { try await desktop.send("clock 61") }
                try await body(desktop, try desktop.broadcast(), try peers.makeFolder("recordings"))
            }
        }
    }
}
