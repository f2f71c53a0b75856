import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Single keys in the terminal of a session.
    struct KeyTests {
        /// Starts a session in a terminal, in a shell that shows the status and the mode of the terminal after it.
        private nonisolated(nonsending) func start(_ arguments: [String], in studio: Studio) async throws -> Terminal {
            var environment = studio.broadcast.environment
            // The backtracer of an installed Swift asks for keys itself.
            environment["SWIFT_BACKTRACE"] = "enable=no"
            let terminal = try await Terminal.open(width: 160, environment: environment, in: studio.peers)
            let words = ([studio.broadcast.binary, "start"] + arguments).map { "'\($0)'" }.joined(separator: " ")
            let script = """
                trap : INT QUIT
                \(words)
                echo "status $?"
                stty -a | grep -o -- '-*icanon'
                """
            try script.write(toFile: studio.path("start.sh"), atomically: true, encoding: .utf8)
            try await terminal.type("sh '\(studio.path("start.sh"))'")
            return terminal
        }

        @Test func `Keys pause, resume and stop, and the end restores the terminal`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let terminal = try await start(["--to", studio.path("out.mp4")], in: studio)
                try await terminal.wait(for: "Press q or Ctrl-C to stop, p to pause, m for the microphone.")
                try await terminal.wait(for: "p pause  m mic  q stop")
                try await terminal.write("p")
                try await terminal.wait(for: "paused") { try await studio.status()?.state == "paused" }
                try await terminal.wait(for: "p resume  m mic  q stop")
                // A second press within a second is that of a nervous finger, so the screen stays hidden. It has been
                // read when the next key is carried out. If both are read at once, they are a pasted text, and that key
                // is typed again: later than one that is held would repeat.
                try await terminal.write("p")
                try await terminal.wait(for: "the answer to c") {
                    try await terminal.write("c")
                    try await Task.sleep(for: .milliseconds(1100))
                    return try await terminal.text().contains("--clip-buffer")
                }
                #expect(try await studio.status()?.state == "paused")
                // After another key, it counts.
                try await terminal.write("p")
                try await terminal.wait(for: "live") { try await studio.status()?.state == "live" }
                try await terminal.write("q")
                try await terminal.wait(for: "status 0\nicanon")
                #expect(try await terminal.text().contains("out.mp4: "))
            }
        }

        @Test func `Keys work while another destination still waits, and clips are offered if they are kept`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                try await studio.peers.run("mkfifo", ["mkfifo", studio.path("waits.ts")])
                let terminal = try await start(
                    ["--to", studio.path("out.mp4"), "--to", studio.path("waits.ts"), "--to", "clips"], in: studio)
                try await terminal.wait(for: "p pause  m mic  c clip  q stop")
                try await terminal.write("p")
                try await terminal.wait(for: "paused") { try await studio.status()?.state == "paused" }
                try await terminal.write("m")
                try await terminal.wait(for: "To turn the microphone on, press m again after a second.")
                #expect(try await studio.status()?.audio.mic == nil)
                try await terminal.write("q")
                try await terminal.wait(for: "icanon")
                #expect(try await !terminal.text().contains("-icanon"))
            }
        }

        @Test(arguments: ["quit", "crash", "second Ctrl-C"])
        func `However the program ends, the terminal is as it was`(end: String) async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                // Nobody reads the pipe: its end takes some seconds.
                try await studio.peers.run("mkfifo", ["mkfifo", studio.path("out.ts")])
                _ = try studio.peers.start("reader", ["sh", "-c", "exec 3< '\(studio.path("out.ts"))'; sleep 600"])
                let terminal = try await start(["--to", studio.path("out.ts")], in: studio)
                try await terminal.wait(for: "q stop")
                switch end {
                case "quit": try await terminal.press("C-\\")
                case "crash": kill(pid_t(try #require(try await studio.status()).pid), SIGSEGV)
                default:
                    try await terminal.wait(for: "a full pipe") {
                        try await studio.status()?.destinations.first?.queueMs ?? 0 > 500
                    }
                    try await terminal.press("C-c")
                    try await terminal.wait(for: "finishing")
                    // Within half a second, it would belong to the first one.
                    let first = ContinuousClock.now
                    try await terminal.wait(for: "another request") { ContinuousClock.now - first > .milliseconds(600) }
                    try await terminal.press("C-c")
                }
                try await terminal.wait(for: "icanon")
                #expect(try await !terminal.text().contains("-icanon"))
            }
        }
    }
}
