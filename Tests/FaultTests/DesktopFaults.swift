import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// What the desktop around a broadcast can do to it: a terminal that takes no output, a runtime folder that goes.
    struct DesktopFaults {
        /// Runs a command on a terminal of its own whose output is stopped, as Ctrl-S does, from the line `frozen` on
        /// until it is killed.
        private static let frozenTerminal = """
            import os, subprocess, sys, termios
            master, slave = os.openpty()
            program = subprocess.Popen(sys.argv[1:], stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
            shown = b''
            while b'live' not in shown: shown += os.read(master, 4096)
            # The terminal takes nothing more.
            termios.tcflow(slave, termios.TCOOFF)
            print('frozen', flush=True)
            print('status', program.wait(), flush=True)
            """

        @Test func `A terminal that takes no output delays neither a pause nor the end`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let script = try studio.peers.start(
                    "terminal",
                    [
                        "python3", "-c", Self.frozenTerminal, studio.broadcast.binary, "start", "--to",
                        studio.path("file.mp4"), "--to",
                        server.url(key: "key"),
                    ], environment: studio.broadcast.environment)
                _ = try await script.waitForOutputLine(containing: "frozen")
                // The length of the fault: some status lines, and a title a second.
                try await Task.sleep(for: .seconds(6))
                let pause = ContinuousClock.now
                #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
                #expect(try await studio.status()?.state == "paused")
                #expect(try await studio.broadcast.run(["resume"]).status == .exited(0))
                #expect(ContinuousClock.now - pause < .seconds(4))
                let begin = ContinuousClock.now
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("file.mp4"), "\(stop)")
                #expect(ContinuousClock.now - begin < .seconds(5))
                _ = try await script.waitForOutputLine(containing: "status 0")
                try await server.peer.wait(for: "the end of the stream") { try await !server.isPublishing(key: "key") }
                try await studio.media("file.mp4").expectDecodable()
                try studio.media("file.mp4").expectOrdinaryMP4()
            }
        }

        @Test func `An X server that is stopped delays neither a pause nor the end, and viewers keep their stream`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let live = try await studio.broadcast.startLive([
                    "--to", studio.path("file.mp4"), "--to", server.url(key: "key"),
                ])
                try await studio.broadcast.waitForMoreSeconds(2, of: live)
                studio.screen.peer.signal(SIGSTOP)
                defer { studio.screen.peer.signal(SIGCONT) }
                try await live.wait(for: "the report") { live.standardError.contains("The X server does not answer") }
                let before = try await studio.broadcast.elapsed()
                try await studio.broadcast.waitForMoreSeconds(2, of: live)
                #expect(try await server.isPublishing(key: "key"))
                #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
                #expect(try await studio.status()?.state == "paused")
                #expect(try await studio.broadcast.run(["resume"]).status == .exited(0))
                let begin = ContinuousClock.now
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("file.mp4"), "\(stop)")
                #expect(ContinuousClock.now - begin < .seconds(5))
                try await server.peer.wait(for: "the end of the stream") { try await !server.isPublishing(key: "key") }
                let media = studio.media("file.mp4")
                try await media.expectDecodable()
                // The file goes on during the fault, with the last picture.
                #expect(try await FFProbe.probe(media.path, in: studio.peers).format.seconds > before + 1)
            }
        }

        @Test
        func `A broadcast whose runtime folder is removed can be found, paused and stopped, also after the next login`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let hadFolder = FileManager.default.fileExists(atPath: "/tmp/broadcast-\(getuid())")
                defer { if !hadFolder { rmdir("/tmp/broadcast-\(getuid())") } }
                // Its socket moves to a folder of the whole machine, so it gets a name of its own.
                let name = "cut-\(studio.screen.peer.processIdentifier)"
                let run = try #require(studio.broadcast.environment["XDG_RUNTIME_DIR"])
                let start = try await studio.broadcast.run([
                    "start", "--detach", "--session", name, "--to", studio.path("file.mp4"),
                ])
                #expect(start.status == .exited(0), "\(start.errors)")
                let pid = try #require(try await studio.status(of: name)?.pid)
                // As logind does at the last logout: the session may not create it again. A file in its place is in the
                // way for root too.
                try FileManager.default.removeItem(atPath: run)
                try "".write(toFile: run, atomically: false, encoding: .utf8)
                #expect(try await studio.broadcast.run(["status"]).output.contains("\(name): live"))
                #expect(try await studio.broadcast.run(["pause", "--session", name]).output == "paused\n")
                // The next login: an empty folder.
                try FileManager.default.removeItem(atPath: run)
                try FileManager.default.createDirectory(
                    atPath: run, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                #expect(try await studio.broadcast.run(["resume", "--session", name]).output == "live\n")
                let second = try await studio.broadcast.run([
                    "start", "--session", name, "--to", studio.path("second.mp4"),
                ])
                #expect(second.status == .exited(1), "\(second.errors)")
                let stop = try await studio.broadcast.run(["stop", "--all"])
                #expect(stop.status == .exited(0) && stop.output.contains("file.mp4"), "\(stop)")
                try await waitUntil("the process's end") { kill(pid, 0) != 0 }
                try await studio.media("file.mp4").expectDecodable()
            }
        }
    }
}
