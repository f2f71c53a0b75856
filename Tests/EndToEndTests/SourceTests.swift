import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// What is captured: a monitor, a region or a window, and nothing else. Decoded pixels are looked at.
    struct SourceTests {
        // MARK: Parts of the screen

        @Test(arguments: [["--monitor", "RIGHT"], ["--region", "640x360+640+0"]])
        func `A monitor or a region is shown, and nothing beside it`(source: [String]) async throws {
            try await withDesktop(width: 1280, height: 360) { desktop in
                for (name, place) in [("LEFT", "640/169x360/95+0+0"), ("RIGHT", "640/169x360/95+640+0")] {
                    try await desktop.peers.run(
                        "xrandr", ["xrandr", "--setmonitor", name, place, "none"],
                        environment: ["DISPLAY": desktop.display])
                }
                try await desktop.openWindow("chart", "640x360+0+0")
                try await desktop.openWindow("clock", "640x360+640+0")
                let media = try await desktop.record(source)
                try await expectClock(in: media, width: 640, height: 360)
            }
        }

        @Test func `A region over the edge is cut off there, and one outside is refused`() async throws {
            try await withDesktop(width: 640, height: 360) { desktop in
                let media = try await desktop.record(["--region", "200x100+-20+300"])
                let probe = try await FFProbe.probe(media.path, in: desktop.peers)
                #expect(probe.video?.width == 180 && probe.video?.height == 60)
                let told = try await desktop.broadcast.run(
                    [
                        "start", "--region", "200x100+-20+300", "--duration", "0.5s", "--to",
                        desktop.folder + "/told.mp4",
                    ])
                #expect(told.errors.contains("it is cut to 180x60+0+300"), "\(told.errors)")
                let refused = try await desktop.broadcast.run(["start", "--region", "200x100+640+0", "--to", "a.mp4"])
                #expect(refused.status == .exited(66))
                expectSentence(in: refused.errors, saying: ["200x100+640+0", "640x360"])
                let corner = try await desktop.broadcast.run([
                    "start", "--region", "20x20-19-19", "--to", desktop.folder + "/corner.mp4",
                ])
                #expect(corner.status == .exited(64))
                expectSentence(in: corner.errors, saying: ["20x20-19-19", "1x1", "--region"])
            }
        }

        // MARK: Windows

        @Test func `A window is shown whatever lies over it`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                let window = try await desktop.openWindow("clock", "640x360+100+50")
                #expect(
                    window.class == "TestScreen" && window.width == 640 && window.height == 360 && window.x == 100
                        && window.y == 50)
                try await desktop.openWindow("chart", "800x450+0+0")
                let media = try await desktop.record(["--window", window.id])
                // What was covered is black until its program has painted it again.
                try await expectClock(in: media, width: 640, height: 360, afterFrames: 2)
            }
        }

        @Test func `The active window is shown without its frame`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                try await desktop.startWindowManager()
                let window = try await desktop.openWindow("clock", "640x360+100+60")
                try await waitUntil("the focus") {
                    let active = try? await desktop.xdotool(["getactivewindow"])
                    return active.flatMap { Int($0.prefix { $0.isNumber }) } == Int(window.id.dropFirst(2), radix: 16)
                }
                let media = try await desktop.record(["--window", "active"])
                try await expectClock(in: media, width: 640, height: 360)
            }
        }

        @Test func `A window is picked with a click on its frame`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                try await desktop.startWindowManager()
                let window = try await desktop.openWindow("clock", "640x360+100+60")
                let path = desktop.folder + "/out.mp4"
                let peer = try desktop.broadcast.start(
                    ["start", "--window", "pick", "--no-cursor", "--quality", "10", "--duration", "2s", "--to", path])
                _ = try await peer.waitForErrorLine(containing: "Click the window")
                // The title bar, above the content.
                try await desktop.xdotool(["mousemove", "\(window.x + 200)", "\(window.y - 8)"])
                // Once: two quick ones on a title bar maximise the window.
                try await desktop.xdotool(["click", "1"])
                _ = try await peer.waitForErrorLine(containing: "\" will be visible.")
                #expect(try await peer.waitForExit() == .exited(0))
                try await expectClock(in: MediaFile(path: path, peers: desktop.peers), width: 640, height: 360)
            }
        }

        @Test(arguments: ["key Escape", "click 3"])
        func `A pick is cancelled with Esc or another button`(action: String) async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                let peer = try desktop.broadcast.start(["start", "--window", "pick", "--to", "a.mp4"])
                _ = try await peer.waitForErrorLine(containing: "Click the window")
                try await peer.wait(for: "the end") {
                    if peer.status == nil { try await desktop.xdotool(action.split(separator: " ").map(String.init)) }
                    return peer.status != nil
                }
                #expect(peer.status == .exited(1))
                #expect(
                    peer.standardError.hasSuffix(
                        "broadcast: No window was picked, so nothing is broadcast. Click a window, or name one with --window ID.\n"
                    ))
                #expect(!FileManager.default.fileExists(atPath: peer.folder + "/a.mp4"))
            }
        }

        // MARK: What changes while it is live

        @Test func `Changes of the mode are one size and whole pictures, in the file and on the server`() async throws {
            try await withPeers { peers in
                let xorg = try await XorgDummy.start(in: peers)
                let server = try await NginxRTMP.start(
                    in: peers, live: "record all; record_path \(try peers.makeFolder("flv")); record_suffix .flv;")
                let desktop = try Desktop(xorg.display, in: peers)
                try await PaintedScreen.start(["clock", "--fps", "30"], on: xorg.display, in: peers)
                let path = desktop.folder + "/out.mp4"
                let peer = try await desktop.startLive(
                    [
                        "--fps", "15", "--size", "960x540", "--no-app-audio", "--no-cursor", "--to", path, "--to",
                        server.url(key: "modes"),
                    ])
                let modes = ["720x1280", "1280x720", "720x1280", "1920x1080", "1280x720"]
                for index in 0..<15 {
                    try await xorg.xrandr(["--output", "DUMMY0", "--mode", modes[index % modes.count]])
                    // The mode is captured before the next one comes.
                    let captured = try #require(try await desktop.broadcast.status()?.video).captured
                    try await peer.wait(for: "frames") {
                        try await desktop.broadcast.status()?.video?.captured ?? 0 >= captured + 6
                    }
                }
                let stopped = try await desktop.broadcast.run(["stop"])
                #expect(stopped.status == .exited(0), "\(stopped.errors)")
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(!peer.standardError.contains("X error"), "\(peer.standardError)")
                let flv = try #require(try FileManager.default.contentsOfDirectory(atPath: peers.folder + "/flv").first)
                for path in [path, peers.folder + "/flv/" + flv] {
                    try await expectLetterboxedClock(in: path, peers: peers)
                }
            }
        }

        @Test func `The monitor with the focused window is followed, at one size`() async throws {
            try await withPeers { peers in
                let xorg = try await XorgDummy.start(in: peers)
                try await xorg.plugIn("DUMMY1", mode: "1280x720", x: 1920)
                let desktop = try Desktop(xorg.display, in: peers)
                try await desktop.startWindowManager()
                let before = try await desktop.openWindow("clock", "960x540+200+200")
                #expect(try await desktop.sources().monitors.map(\.name).sorted() == ["DUMMY0", "DUMMY1"])
                let path = desktop.folder + "/out.mp4"
                let peer = try await desktop.startLive(
                    ["--follow-focus", "--fps", "15", "--quality", "10", "--no-app-audio", "--no-cursor", "--to", path])
                try await desktop.broadcast.waitUntilElapsed(2, of: peer)
                try await desktop.xdotool(["windowmove", before.id, "2020", "100"])
                var after = before
                try await waitUntil("the move") {
                    after = try await desktop.window(titled: before.title)
                    return after.x >= 1920
                }
                try await desktop.broadcast.waitForMoreSeconds(2, of: peer)
                #expect(try await desktop.broadcast.run(["stop"]).status == .exited(0))
                // Each monitor fills the picture: they have the same aspect.
                let first = ClockReader(screen: placed(before, x: 0, width: 1920, height: 1080))
                let second = ClockReader(screen: placed(after, x: 1920, width: 1280, height: 720))
                var counts = (first: 0, second: 0, neither: 0)
                try await FrameDecoder(path, size: (960, 540)).forEachFrame(in: peers) { frame in
                    if first.milliseconds(in: frame) != nil {
                        counts.first += 1
                        #expect(counts.second == 0)
                    } else if second.milliseconds(in: frame) != nil {
                        counts.second += 1
                    } else {
                        counts.neither += 1
                    }
                    return true
                }
                let probe = try await FFProbe.probe(path, in: peers)
                #expect(probe.video?.width == 1920 && probe.video?.height == 1080)
                #expect(counts.first > 15 && counts.second > 15 && counts.neither < 8, "\(counts)")
            }
        }

        @Test func `A minimised window is a slate until it is back, and its end is the broadcast's`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                try await desktop.startWindowManager()
                let window = try await desktop.openWindow("clock", "640x360+100+60")
                let path = desktop.folder + "/out.mp4"
                let peer = try await desktop.startLive([
                    "--window", window.id, "--no-app-audio", "--no-cursor", "--quality", "10", "--to", path,
                ])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await desktop.xdotool(["windowminimize", window.id])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await desktop.xdotool(["windowactivate", window.id])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await desktop.xdotool(["windowkill", window.id])
                #expect(try await peer.waitForExit() == .exited(0))
                let sentence = "The window \"\(window.title)\" was closed, so the broadcast ended.\n"
                #expect(
                    peer.standardError.contains(sentence)
                        && !peer.standardError.contains("Warning: The window \"\(window.title)\""))
                #expect(try await desktop.broadcast.run(["logs"]).output.contains(sentence))
                try await MediaFile(path: path, peers: desktop.peers).expectDecodable()
                try await expectSlateBetweenClocks(in: path, peers: desktop.peers)
            }
        }

        @Test func `After a window was closed, viewers see a slate until another one matches its rule`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                try await desktop.startWindowManager()
                let window = try await desktop.openWindow("clock", "640x360+100+60")
                let path = desktop.folder + "/out.mp4"
                let peer = try await desktop.startLive([
                    "--window", "class:TestScreen", "--window-timeout", "2m", "--no-app-audio", "--no-cursor",
                    "--quality", "10", "--to", path,
                ])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await desktop.xdotool(["windowkill", window.id])
                _ = try await peer.waitForErrorLine(
                    containing: "was closed. Viewers see a slate until one window matches class:TestScreen")
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await desktop.openWindow("clock", "640x360+100+60")
                try await desktop.broadcast.waitForMoreSeconds(2.5, of: peer)
                let report = try await desktop.broadcast.stop(peer)
                #expect(report.state == "finished")
                try await MediaFile(path: path, peers: desktop.peers).expectDecodable()
                try await expectSlateBetweenClocks(in: path, peers: desktop.peers)
            }
        }

        @Test func `A monitor that is unplugged is a slate until it is back, and nothing of the other is shown`()
            async throws
        {
            try await withPeers { peers in
                let xorg = try await XorgDummy.start(in: peers)
                try await xorg.plugIn("DUMMY1", mode: "1280x720", x: 1920)
                let desktop = try Desktop(xorg.display, in: peers)
                try await desktop.openWindow("chart", "1920x1080+0+0")
                try await desktop.openWindow("clock", "1280x720+1920+0")
                let path = desktop.folder + "/out.mp4"
                let peer = try await desktop.startLive(
                    [
                        "--monitor", "DUMMY1", "--fps", "15", "--no-app-audio", "--no-cursor", "--quality", "10",
                        "--to", path,
                    ])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await xorg.xrandr(["--output", "DUMMY1", "--off"])
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                try await xorg.plugIn("DUMMY1", mode: "1280x720", x: 1920)
                try await desktop.broadcast.waitForMoreSeconds(1.5, of: peer)
                #expect(try await desktop.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                try await expectSlateBetweenClocks(in: path, peers: peers)
            }
        }

        // MARK: Sound

        @Test func `One application is heard without the others`() async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let pulse = try await PulseServer.start(in: peers)
                try await PaintedScreen.start(
                    ["tone"], pulse: pulse, environment: ["PULSE_PROP_OVERRIDE": "application.name=Music"], in: peers)
                let desktop = try Desktop(screen.display, pulse: pulse, in: peers)
                for (name, isHeard) in [("Music", true), ("Firefox", false)] {
                    let path = desktop.folder + "/\(name).mp4"
                    let peer = try await desktop.startLive(["--app-source", "app:\(name)", "--to", path])
                    try await desktop.broadcast.waitUntilElapsed(3, of: peer)
                    let sound = try #require(try await desktop.broadcast.status()?.audio.app)
                    #expect(sound.source == (isHeard ? "app:Music" : nil))
                    #expect(try await desktop.broadcast.run(["stop"]).status == .exited(0))
                    let recorded = try await AudioDecoder.decode(path, in: peers)
                    if isHeard {
                        // A sine of a peak of 0.251, 3 dB louder where ffmpeg makes one channel of two equal ones.
                        let level = try #require(recorded.toneLevel(), "Nothing is heard.")
                        #expect(abs(level - 0.251) < 0.02)
                    } else {
                        let level = recorded.level(
                            from: 0, duration: Double(recorded.samples.count) / Double(recorded.rate))
                        #expect(level < 0.001, "\(level)")
                    }
                    if !isHeard { #expect(peer.standardError.contains("Firefox plays nothing now")) }
                }
            }
        }

        @Test func `Playing applications are listed, and an unknown source is refused before anything is live`()
            async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                let pulse = try await PulseServer.start(in: peers)
                try await PaintedScreen.start(
                    ["tone"], pulse: pulse, environment: ["PULSE_PROP_OVERRIDE": "application.name=Music"], in: peers)
                let desktop = try Desktop(screen.display, pulse: pulse, in: peers)
                try await waitUntil("the application") {
                    try await desktop.broadcast.run(["list-sources"]).output.contains("app:Music")
                }
                let json = try await desktop.broadcast.run(["list-sources", "--json"]).output
                #expect(json.contains("\"source\" : \"app:Music\""), "\(json)")
                for arguments in [["--app-source", "spaekers"], ["--mic", "--mic-source", "spaekers"]] {
                    let path = desktop.folder + "/refused.mp4"
                    let result = try await desktop.broadcast.run(["start", "--to", path] + arguments)
                    #expect(result.status == .exited(66))
                    expectSentence(in: result.errors, saying: ["\"spaekers\"", "broadcast list-sources"])
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
            }
        }

        @Test func `A window is selected by its class or title`() async throws {
            try await withDesktop(width: 800, height: 450) { desktop in
                try await desktop.openWindow("clock", "640x360+100+50")
                for rule in ["class:testscreen", "title:*: clock"] {
                    let media = try await desktop.record(["--window", rule])
                    try await expectClock(in: media, width: 640, height: 360)
                }
                try await desktop.openWindow("chart", "100x100+0+0")
                let several = try await desktop.broadcast.run([
                    "start", "--window", "class:TestScreen", "--to", "a.mp4",
                ])
                #expect(several.status == .exited(66))
                expectSentence(in: several.errors, saying: ["2 windows match class:TestScreen", "--window ID"])
                let none = try await desktop.broadcast.run(["start", "--window", "title:Notes", "--to", "a.mp4"])
                #expect(none.status == .exited(66))
                expectSentence(in: none.errors, saying: ["title:Notes", "broadcast test screen: clock"])
                let wrong = try await desktop.broadcast.run(["start", "--window", "klass:Notes", "--to", "a.mp4"])
                #expect(wrong.status == .exited(64))
                expectSentence(in: wrong.errors, saying: ["--window", "klass:Notes"])
            }
        }

        // MARK: What is refused

        @Test func `Sources that exclude each other or do not exist give one sentence`() async throws {
            try await withDesktop(width: 640, height: 360) { desktop in
                let cases: [([String], Int32, [String])] = [
                    (["--monitor", "A", "--window", "active"], 64, ["--monitor", "--window"]),
                    (["--region", "10x10+0+0", "--monitor", "A"], 64, ["--monitor", "--region"]),
                    (["--follow-focus", "--region", "10x10+0+0"], 64, ["--follow-focus", "--region"]),
                    (["--region", "10x10"], 64, ["--region 10x10", "1280x720+100+50"]),
                    (["--region", "10x10+0+0+0"], 64, ["--region"]),
                    (["--region", "0x10+0+0"], 64, ["--region"]),
                    (["--window", "mine"], 64, ["--window mine", "pick"]),
                    (["--window", "active", "--window-timeout", "5m"], 64, ["--window-timeout", "class:NAME"]),
                    (["--window-timeout", "5m"], 64, ["--window-timeout", "class:NAME"]),
                    (["--window", "class:A", "--window-timeout", "soon"], 64, ["--window-timeout soon"]),
                    (["--window", "0x7fffffff"], 66, ["0x7fffffff"]),
                    (["--window", "active"], 66, ["No window is in front", "--window pick"]),
                    (["--monitor", "HDMI-7"], 66, ["HDMI-7", "screen"]),
                    (["--monitor", "HDMI-7", "--follow-focus"], 66, ["HDMI-7", "screen"]),
                ]
                for (arguments, status, words) in cases {
                    let result = try await desktop.broadcast.run(["start"] + arguments + ["--to", "a.mp4"])
                    #expect(result.status == .exited(status), "\(arguments): \(result.errors)")
                    expectSentence(in: result.errors, saying: words)
                }
            }
        }

        @Test(arguments: [["WAYLAND_DISPLAY": "wayland-0"], ["XDG_SESSION_TYPE": "wayland"]])
        func `In a Wayland session the portal is used, unless X11 is wanted`(environment: [String: String]) async throws
        {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
                var broadcast = try BroadcastCommand(in: peers, display: screen.display)
                broadcast.environment.merge(environment) { $1 }
                let refused = try await broadcast.run(["start", "--ask", "--to", "a.mp4"])
                #expect(refused.status == .exited(69))
                expectSentence(in: refused.errors, saying: ["Wayland", "session bus"])
                let forced = try await broadcast.run(["start", "--source", "x11", "--duration", "1s", "--to", "a.mp4"])
                #expect(forced.status == .exited(0), "\(forced.errors)")
            }
        }

        // MARK: Helpers

        private func withDesktop(width: Int, height: Int, _ body: (Desktop) async throws -> Void) async throws {
            try await withPeers { peers in
                let screen = try await Xvfb.start(in: peers, width: width, height: height)
                try await body(try Desktop(screen.display, in: peers))
            }
        }

        /// Expects that every frame is the clock from edge to edge, but for the first ones.
        private func expectClock(in media: MediaFile, width: Int, height: Int, afterFrames: Int = 0) async throws {
            let probe = try await FFProbe.probe(media.path, in: media.peers)
            #expect(probe.video?.width == width && probe.video?.height == height)
            let clock = try await ClockTrack.read(FrameDecoder(media.path), in: media.peers)
            #expect(
                clock.readings.count > 10 && clock.unreadable <= afterFrames,
                "\(clock.readings.count) read, \(clock.unreadable) not")
            #expect(clock.isRunning)
        }

        /// Expects frames of 960x540 that show the clock over all of it, or upright in the middle between black bars.
        private func expectLetterboxedClock(in path: String, peers: Peers) async throws {
            let upright = PatternRectangle(x: 328.0 / 960, y: 0, width: 304.0 / 960, height: 1)
            var counts = (wide: 0, upright: 0, neither: 0)
            try await FrameDecoder(path).forEachFrame(in: peers) { frame in
                #expect(frame.width == 960 && frame.height == 540)
                if ClockReader().milliseconds(in: frame) != nil {
                    counts.wide += 1
                } else if ClockReader(screen: upright).milliseconds(in: frame) != nil {
                    counts.upright += 1
                    for bar in [0.0, 636.0 / 960] {
                        let level = frame.mean(of: PatternRectangle(x: bar, y: 0, width: 324.0 / 960, height: 1))[0]
                        #expect(level < 3, "the bar at \(bar) has level \(level)")
                    }
                } else {
                    // The server has changed its mode, and the painter has not yet painted anew.
                    counts.neither += 1
                }
                return true
            }
            print("frames while modes change:", counts)
            #expect(
                counts.wide > 20 && counts.upright > 20 && counts.neither < (counts.wide + counts.upright) / 2,
                "\(path): \(counts)")
        }

        /// Expects first the clock, then the slate, then the clock again, and nothing else but for a frame or two of a
        /// window that has not painted yet.
        private func expectSlateBetweenClocks(in path: String, peers: Peers) async throws {
            let track = try await PictureTrack.read(FrameDecoder(path), in: peers)
            #expect(track.order == "csc", "\(track)")
            #expect(track.count(.other) <= 3, "\(track)")
            #expect(track.count(.slate) >= 5 && track.count(.clock) > 20, "\(track)")
        }

        /// Where a window is in the picture of a monitor that begins at column `x` of the screen, in fractions.
        private func placed(_ window: SourceAnswer.Window, x: Int, width: Double, height: Double) -> PatternRectangle {
            PatternRectangle(
                x: Double(window.x - x) / width, y: Double(window.y) / height, width: Double(window.width) / width,
                height: Double(window.height) / height)
        }
    }
}
