import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// A look at what viewers would see.
    struct PreviewTests {
        @Test func `The preview has the colours of the screen, and the display does not count as captured`()
            async throws
        {
            try await withStudio(["chart"], width: 1280, height: 720, hasSound: false) { studio in
                let waiting = try studio.broadcast.start(["captured", "--wait"])
                let frame = try await preview(["--no-cursor"], in: studio)
                #expect(frame.width == 1280 && frame.height == 720)
                let measurements = ColourChartReader.measure(frame)
                #expect(measurements.count == ColourChart.patches.count)
                #expect(measurements.filter { $0.error > 3 }.isEmpty, "\(measurements.map(\.error))")
                #expect(waiting.status == nil)
            }
        }

        @Test func `The preview hides what is hidden`() async throws {
            try await withStudio(["secret"], width: 640, height: 480, hasSound: false) { studio in
                let open = try await preview([], in: studio)
                #expect(open.loudness > 200)
                let hidden = try await preview(["--hide", "class:secret"], in: studio)
                #expect(hidden.loudness < 30)
            }
        }

        @Test func `The preview has the size and the bars that viewers get`() async throws {
            try await withStudio(["clock"], width: 1280, height: 720, hasSound: false) { studio in
                let odd = try await studio.broadcast.run(["preview", "--size", "801x601", studio.path("odd.png")])
                #expect(odd.errors == "The picture has even numbers of pixels: --size 801x601 gives 800x600.\n")
                let frame = try await preview(["--size", "800x600"], in: studio)
                #expect(frame.width == 800 && frame.height == 600)
                for bar in [0.0, 0.88] {
                    let level = frame.mean(of: PatternRectangle(x: 0, y: bar, width: 1, height: 0.12))
                    #expect(level.allSatisfy { $0 < 2 }, "the bar at \(bar) has level \(level)")
                }
                let screen = PatternRectangle(x: 0, y: 0.125, width: 1, height: 0.75)
                #expect(ClockReader(screen: screen).milliseconds(in: frame) != nil)
            }
        }

        @Test func `A preview goes through a pipe, and not to a terminal`() async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let file = studio.path("piped.png")
                let program = studio.broadcast.binary
                try await studio.peers.run(
                    "sh", ["sh", "-c", "\(program) preview - | cat > \(file)"],
                    environment: studio.broadcast.environment)
                #expect(try await decode(file, in: studio).width == 320)
                let terminal = try studio.peers.start(
                    "script", ["script", "-qec", "\(program) preview -; echo status $?", "/dev/null"],
                    environment: studio.broadcast.environment)
                try await terminal.wait(for: "the status") { terminal.standardOutput.contains("status ") }
                #expect(
                    terminal.standardOutput.contains("is a terminal") && terminal.standardOutput.contains("status 64"))
                #expect(try await studio.broadcast.run(["preview", "/no/such/folder/a.png"]).status == .exited(73))
                let other = try await studio.broadcast.run(["preview", studio.path("a.jpg")])
                #expect(other.status == .exited(64))
                expectSentence(in: other.errors, saying: ["a.jpg", "PNG", "a.png"])
                #expect(
                    try await studio.broadcast.run(["preview", "--region", "10x10+5000+0", file]).status == .exited(66))
            }
        }

        @Test func `start --preview shows it in the desktop's viewer`() async throws {
            try await withStudio(["clock"], width: 640, height: 360, hasSound: false) { studio in
                let folder = try studio.peers.makeFolder("bin")
                let seen = studio.path("seen.png")
                try "#!/bin/sh\nexec /bin/cp \"$1\" \(seen)\n".write(
                    toFile: folder + "/xdg-open", atomically: false, encoding: .utf8)
                #expect(chmod(folder + "/xdg-open", 0o700) == 0)
                var broadcast = studio.broadcast
                broadcast.environment["PATH"] = folder + ":/usr/bin:/bin"
                let peer = try broadcast.start(["start", "--preview", "--to", studio.path("out.mp4")])
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                try await waitUntil("the picture") { FileManager.default.fileExists(atPath: seen) }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await decode(seen, in: studio).width == 640)
            }
        }

        @Test(arguments: ["n", "no", "x"]) func `An answer other than Enter or y starts nothing`(answer: String)
            async throws
        {
            try await withQuestion(in: "xterm-kitty") { studio, terminal in
                try await terminal.type(answer)
                try await terminal.wait(for: "status=1")
                #expect(try await terminal.text().contains("Nothing was started."))
                #expect(!FileManager.default.fileExists(atPath: studio.path("out.mp4")))
            }
        }

        @Test func `Ctrl-D starts nothing, and y goes live`() async throws {
            try await withQuestion(in: "xterm-kitty") { studio, terminal in
                try await terminal.press("C-d")
                try await terminal.wait(for: "status=1")
                #expect(try await studio.status() == nil)
            }
            try await withQuestion(in: "xterm-kitty") { studio, terminal in
                try await terminal.type("y")
                try await waitUntil("the session") { try await studio.status()?.state == "live" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "status=0")
            }
        }

        @Test func `What was typed while the viewer opened is no answer to the question`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let home = studio.broadcast.home
                let folder = try makeViewer(
                    "touch \"$HOME/opens\"; until [ -e \"$HOME/typed\" ]; do sleep 0.05; done", in: studio)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type(
                    "TERM=dumb PATH=\(folder):$PATH \(studio.broadcast.binary) start --preview --to \(studio.path("out.mp4")); echo status=$?"
                )
                try await terminal.wait(for: "the viewer") { FileManager.default.fileExists(atPath: home + "/opens") }
                try await terminal.type("y")
                try await terminal.wait(for: "its echo") { try await terminal.screen().contains("\ny\n") }
                #expect(FileManager.default.createFile(atPath: home + "/typed", contents: nil))
                try await terminal.wait(for: "Enter or y goes live, anything else cancels:")
                try await terminal.type("n")
                try await terminal.wait(for: "status=1")
                #expect(!FileManager.default.fileExists(atPath: studio.path("out.mp4")))
            }
        }

        @Test func `The viewer's picture is named in the question, and is removed after the answer`() async throws {
            try await withQuestion(in: "dumb", viewer: "exec /bin/cp \"$1\" \"$(dirname \"$0\")/seen.png\"") {
                studio, terminal in
                let pictures = try pictures(studio)
                #expect(pictures.count == 1)
                #expect(try await terminal.text().contains(pictures.first ?? "no picture"))
                try await terminal.type("no")
                try await terminal.wait(for: "status=1")
                #expect(try self.pictures(studio) == [])
            }
            // Ctrl-C ends the command by the signal, and leaves no picture either.
            try await withQuestion(in: "dumb", viewer: "exit 0") { studio, terminal in
                try await terminal.press("C-c")
                try await waitUntil("no picture") { try pictures(studio) == [] }
                #expect(try await studio.status() == nil)
            }
        }

        @Test func `The viewer that the preview opened is over before the broadcast is live`() async throws {
            // It outlives xdg-open, as with some desktops.
            try await withQuestion(in: "dumb", viewer: "sleep 1000 & echo $! > \"$HOME/viewer\"") { studio, terminal in
                #expect(try await terminal.text().contains("Preparing the preview"))
                let viewer = try String(contentsOfFile: studio.broadcast.home + "/viewer", encoding: .utf8).dropLast()
                // A process that has ended has no command line, even if it is not reaped.
                func isOver() -> Bool {
                    FileManager.default.contents(atPath: "/proc/\(viewer)/cmdline")?.isEmpty ?? true
                }
                #expect(!isOver())
                try await terminal.type("y")
                try await waitUntil("the session") { try await studio.status() != nil }
                #expect(isOver())
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await terminal.wait(for: "status=0")
            }
        }

        @Test func `preview names the viewer's file, and removes it when the user has seen it`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let folder = try makeViewer("exit 0", in: studio)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type(
                    "TERM=dumb PATH=\(folder):$PATH \(studio.broadcast.binary) preview; echo status=$?")
                try await terminal.wait(for: "Press Enter to remove the file.")
                let pictures = try pictures(studio)
                #expect(pictures.count == 1)
                #expect(try await terminal.text().contains(pictures.first ?? "no picture"))
                try await terminal.type("")
                try await terminal.wait(for: "status=0")
                #expect(try self.pictures(studio) == [])
            }
        }

        @Test(arguments: ["exit 3", "kill -TERM $$"])
        func `A preview that the viewer cannot show starts nothing, and asks nothing`(viewer: String)
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                var broadcast = studio.broadcast
                broadcast.environment["PATH"] = try makeViewer(viewer, in: studio) + ":/usr/bin:/bin"
                for arguments in [["preview"], ["start", "--preview", "--to", studio.path("out.mp4")]] {
                    let result = try await broadcast.run(arguments)
                    #expect(result.status == .exited(69), "\(arguments)")
                    expectSentence(
                        in: result.errors,
                        saying: ["The preview cannot be shown", "xdg-open", "broadcast preview FILE.png"])
                }
                #expect(try pictures(studio) == [])
                #expect(!FileManager.default.fileExists(atPath: studio.path("out.mp4")))
            }
        }

        /// Runs `start --preview` on a terminal of that kind, up to the question.
        ///
        /// - Parameter viewer: the script of xdg-open; nil to install no viewer.
        private nonisolated(nonsending) func withQuestion(
            in kind: String, viewer: String? = nil, _ body: (Studio, Terminal) async throws -> Void
        ) async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let folder = try makeViewer(viewer ?? "exit 3", in: studio)
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type(
                    "TERM=\(kind) PATH=\(folder):$PATH \(studio.broadcast.binary) start --preview --to \(studio.path("out.mp4")); echo status=$?"
                )
                try await terminal.wait(for: "Enter or y goes live, anything else cancels:")
                #expect(try await studio.status() == nil)
                try await body(studio, terminal)
            }
        }

        /// A folder with this script as xdg-open.
        private func makeViewer(_ script: String, in studio: Studio) throws -> String {
            let folder = try studio.peers.makeFolder("viewer")
            try "#!/bin/sh\n\(script)\n".write(toFile: folder + "/xdg-open", atomically: false, encoding: .utf8)
            try #require(chmod(folder + "/xdg-open", 0o700) == 0)
            return folder
        }

        /// The pictures in the runtime folder.
        private func pictures(_ studio: Studio) throws -> [String] {
            let folder = studio.broadcast.home + "/run/broadcast"
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".png") }.map {
                "\(folder)/\($0)"
            }
        }

        @Test func `On a terminal that shows pictures start --preview waits for Enter`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                var broadcast = studio.broadcast
                broadcast.environment["TERM"] = "xterm-kitty"
                let command = "\(broadcast.binary) start --preview --to \(studio.path("out.mp4"))"
                let terminal = try studio.peers.start(
                    "script", ["script", "-qec", command, "/dev/null"], environment: broadcast.environment, input: .pipe
                )
                try await terminal.wait(for: "the question") {
                    terminal.standardOutput.contains("Enter or y goes live")
                }
                #expect(terminal.standardOutput.contains("\u{1b}_Gf=100,a=T"))
                #expect(try await studio.status() == nil)
                try await terminal.write([0x0a])
                try await terminal.wait(for: "the session") { try await studio.status()?.state == "live" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test(arguments: [true, false]) func `xterm shows the preview where it has sixels, and else is left alone`(
            hasSixels: Bool
        ) async throws {
            try await withStudio(["secret"], width: 640, height: 480, hasSound: false) { studio in
                let screen = try await Xvfb.start(in: studio.peers, width: 800, height: 600)
                // Without a desktop's viewer.
                let program = "PATH=/nonexistent DISPLAY=\(studio.screen.display) \(studio.broadcast.binary)"
                let command = "\(program) preview 2> errors; \(program) preview; echo $? > status; read line"
                let xterm = try studio.peers.start(
                    "xterm",
                    [
                        "xterm", "-ti", hasSixels ? "vt340" : "vt100", "-geometry", "90x40+0+0", "-e", "sh", "-c",
                        command,
                    ],
                    environment: studio.broadcast.environment.merging(screen.environment) { $1 }, folder: studio.folder)
                try await xterm.wait(for: "the end of preview") {
                    FileManager.default.fileExists(atPath: studio.path("status"))
                }
                // Where standard error is no terminal, nothing is shown on one; there is no viewer either.
                let errors = try String(contentsOfFile: studio.path("errors"), encoding: .utf8)
                #expect(errors.contains("this terminal shows none") && !errors.contains("\u{1b}"), "\(errors)")
                try await xterm.wait(for: "its status") {
                    try String(contentsOfFile: studio.path("status"), encoding: .utf8) == (hasSixels ? "0\n" : "69\n")
                }
                guard hasSixels else { return }
                let file = studio.path("terminal.png")
                try await xterm.wait(for: "the picture") {
                    try await studio.peers.run(
                        "ffmpeg",
                        [
                            "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "x11grab", "-i", screen.display,
                            "-frames:v", "1", file,
                        ])
                    return try await decode(file, in: studio).loudness > 200
                }
            }
        }

        /// What `broadcast preview` writes, as ffmpeg decodes it.
        private nonisolated(nonsending) func preview(_ arguments: [String], in studio: Studio) async throws
            -> DecodedFrame
        {
            let file = studio.path("preview.png")
            let result = try await studio.broadcast.run(["preview", file] + arguments)
            try #require(result.status == .exited(0) && result.output == file + "\n", "\(result)")
            return try await decode(file, in: studio)
        }

        private nonisolated(nonsending) func decode(_ file: String, in studio: Studio) async throws -> DecodedFrame {
            try #require(try await FrameDecoder(file, layout: .rgb24).frames(in: studio.peers).last)
        }
    }
}

extension DecodedFrame {
    /// The loudest pixel of an `rgb24` frame: how much less green it has than red and blue.
    var loudness: Int {
        stride(from: 0, to: bytes.count, by: 3).reduce(0) {
            max($0, Int(min(bytes[$1], bytes[$1 + 2])) - Int(bytes[$1 + 1]))
        }
    }
}
