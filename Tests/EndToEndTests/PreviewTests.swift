import Foundation
import TestPatterns
import TestSupport
import Testing

extension EndToEndTests {
    /// A look at what viewers would see.
    @Suite(.serialized)
    struct PreviewTests {
        @Test func `The preview has the colours of the screen, and tells nobody of itself`() async throws {
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
                    "sh", ["sh", "-c", "\(program) preview - | cat > \(file)"], environment: studio.broadcast.environment)
                #expect(try await decode(file, in: studio).width == 320)
                let terminal = try studio.peers.start(
                    "script", ["script", "-qec", "\(program) preview -; echo status $?", "/dev/null"], environment: studio.broadcast.environment)
                try await terminal.wait(for: "the status") { terminal.standardOutput.contains("status ") }
                #expect(terminal.standardOutput.contains("is a terminal") && terminal.standardOutput.contains("status 64"))
                #expect(try await studio.broadcast.run(["preview", "/no/such/folder/a.png"]).status == .exited(73))
                #expect(try await studio.broadcast.run(["preview", "--region", "10x10+5000+0", file]).status == .exited(66))
            }
        }

        @Test func `start --preview shows it in the desktop's viewer`() async throws {
            try await withStudio(["clock"], width: 640, height: 360, hasSound: false) { studio in
                let folder = try studio.peers.makeFolder("bin")
                let seen = studio.path("seen.png")
                try "#!/bin/sh\nexec /bin/cp \"$1\" \(seen)\n".write(toFile: folder + "/xdg-open", atomically: false, encoding: .utf8)
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

        @Test func `On a terminal that shows pictures start --preview waits for Enter`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                var broadcast = studio.broadcast
                broadcast.environment["TERM"] = "xterm-kitty"
                let command = "\(broadcast.binary) start --preview --to \(studio.path("out.mp4"))"
                let terminal = try studio.peers.start(
                    "script", ["script", "-qec", command, "/dev/null"], environment: broadcast.environment, input: .pipe)
                try await terminal.wait(for: "the question") { terminal.standardOutput.contains("Enter goes live") }
                #expect(terminal.standardOutput.contains("\u{1b}_Gf=100,a=T"))
                #expect(try await studio.status() == nil)
                try await terminal.write([0x0a])
                try await terminal.wait(for: "the session") { try await studio.status()?.state == "live" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test(arguments: [true, false]) func `xterm shows the preview where it has sixels, and else is left alone`(hasSixels: Bool) async throws {
            try await withStudio(["secret"], width: 640, height: 480, hasSound: false) { studio in
                let screen = try await Xvfb.start(in: studio.peers, width: 800, height: 600)
                // Without a desktop's viewer.
                let program = "PATH=/nonexistent DISPLAY=\(studio.screen.display) \(studio.broadcast.binary)"
                let command = "\(program) preview 2> errors; \(program) preview; echo $? > status; read line"
                let xterm = try studio.peers.start(
                    "xterm", ["xterm", "-ti", hasSixels ? "vt340" : "vt100", "-geometry", "90x40+0+0", "-e", "sh", "-c", command],
                    environment: studio.broadcast.environment.merging(screen.environment) { $1 }, folder: studio.folder)
                try await xterm.wait(for: "the end of preview") { FileManager.default.fileExists(atPath: studio.path("status")) }
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
                        "ffmpeg", ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "x11grab", "-i", screen.display, "-frames:v", "1", file])
                    return try await decode(file, in: studio).loudness > 200
                }
            }
        }

        /// What `broadcast preview` writes, as ffmpeg decodes it.
        private nonisolated(nonsending) func preview(_ arguments: [String], in studio: Studio) async throws -> DecodedFrame {
            let file = studio.path("preview.png")
            let result = try await studio.broadcast.run(["preview", file] + arguments)
            try #require(result.status == .exited(0), "\(result.errors)")
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
        stride(from: 0, to: bytes.count, by: 3).reduce(0) { max($0, Int(min(bytes[$1], bytes[$1 + 2])) - Int(bytes[$1 + 1])) }
    }
}
