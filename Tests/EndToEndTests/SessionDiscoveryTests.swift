import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Sessions are found from wherever the user looks for them, and only those of the user.
    struct SessionDiscoveryTests {
        /// A command as cron, `su -` or `sudo -u` runs it: without XDG_RUNTIME_DIR.
        private func withoutRuntimeFolder(_ broadcast: BroadcastCommand) -> BroadcastCommand {
            var broadcast = broadcast
            broadcast.environment["XDG_RUNTIME_DIR"] = nil
            return broadcast
        }

        @Test func `A session that was started in the desktop is stopped by a command without XDG_RUNTIME_DIR`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                let cron = withoutRuntimeFolder(studio.broadcast)
                #expect(try await cron.run(["status"]).output.contains("default: live"))
                #expect(try await cron.run(["pause"]).status == .exited(0))
                let events = try cron.start(["events"])
                _ = try await events.waitForOutputLine(containing: "\"paused\"")
                let stop = try await cron.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("out.mp4"))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(try await events.waitForExit() == .exited(0))
            }
        }

        @Test func `A session that was started without XDG_RUNTIME_DIR is stopped from the desktop`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let hadFolder = FileManager.default.fileExists(atPath: "/tmp/broadcast-\(getuid())")
                defer { if !hadFolder { rmdir("/tmp/broadcast-\(getuid())") } }
                // Its socket is in a folder of the whole machine, so it gets a name of its own.
                let name = "cron-\(studio.screen.peer.processIdentifier)"
                let peer = try await withoutRuntimeFolder(studio.broadcast).startLive(
                    ["--to", studio.path("out.mp4")], session: name)
                let status = try await studio.broadcast.run(["status"])
                #expect(status.output.contains("\(name): live"), "\(status)")
                // The name is taken there too.
                let second = try await studio.broadcast.run([
                    "start", "--session", name, "--to", studio.path("second.mp4"),
                ])
                expectSentence(in: second.errors, saying: ["\"\(name)\" is running already"])
                let stop = try await studio.broadcast.run(["stop", "--all"])
                #expect(stop.status == .exited(0) && stop.output.contains("out.mp4"), "\(stop)")
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        /// Removes a folder in one step. Otherwise the session may create its socket again while the folder is being
        /// emptied.
        private func removeAtOnce(_ folder: String) throws {
            try #require(rename(folder, folder + "-removed") == 0)
            try FileManager.default.removeItem(atPath: folder + "-removed")
        }

        @Test func `A session is stopped although its runtime folder was removed`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let folder = studio.broadcast.home + "/run/broadcast"
                #expect(
                    try await studio.broadcast.run(["start", "--detach", "--to", studio.path("out.mp4")]).status
                        == .exited(0))
                let pid = try #require(try await studio.status()?.pid)
                try removeAtOnce(folder)
                // At once: the command waits until the session listens again.
                #expect(try await studio.broadcast.run(["status"]).output.contains("default: live"))
                #expect(try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
                try removeAtOnce(folder)
                let second = try await studio.broadcast.run(["start", "--to", studio.path("second.mp4")])
                expectSentence(in: second.errors, saying: ["is running already"])
                try removeAtOnce(folder)
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("out.mp4"), "\(stop)")
                try await waitUntil("the process's end") { kill(pid, 0) != 0 }
                try await studio.media("out.mp4").expectDecodable()
            }
        }

        @Test func `The next command after a session was killed says so`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")], session: "talk")
                peer.signal(SIGKILL)
                _ = try await peer.waitForExit()
                let status = try await studio.broadcast.run(["status"])
                #expect(status.status == .exited(0) && status.output == "Nothing is being broadcast.\n", "\(status)")
                expectSentence(
                    in: status.errors, saying: ["\"talk\" ended without cleaning up", "logs --session talk"])
                #expect(try await studio.broadcast.run(["status"]).errors == "")
            }
        }

        @Test func `Commands without a name act on the only session that runs`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let nothing = try await studio.broadcast.run(["stop"])
                #expect(nothing.status == .exited(1))
                expectSentence(in: nothing.errors, saying: ["No session is running."])
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")], session: "lesson")
                for command in [
                    ["stop", "--session", "default"], ["status", "--session", "lessen"],
                    ["pause", "--session", "lessen"],
                ] {
                    let result = try await studio.broadcast.run(command)
                    #expect(result.status == .exited(1))
                    expectSentence(in: result.errors, saying: ["\"\(command[2])\"", "\"lesson\"", "--session"])
                }
                #expect(try await studio.broadcast.run(["pause"]).output == "paused\n")
                #expect(try await studio.broadcast.run(["logs"]).output.contains("session lesson: paused"))
                let events = try studio.broadcast.start(["events"])
                _ = try await events.waitForOutputLine(containing: "\"paused\"")
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("out.mp4"), "\(stop)")
                #expect(try await events.waitForExit() == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Of several sessions, a command acts on the one that it or BROADCAST_SESSION names, or on default`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let lesson = try await studio.startLive(["--to", studio.path("lesson.mp4")], session: "lesson")
                let replay = try await studio.startLive(["--to", studio.path("replay.mp4")], session: "replay")
                for command in [["stop"], ["pause"], ["events"], ["logs"]] {
                    let result = try await studio.broadcast.run(command)
                    #expect(result.status == .exited(1))
                    expectSentence(in: result.errors, saying: ["\"lesson\", \"replay\"", "--session NAME"])
                }
                var named = studio.broadcast
                named.environment["BROADCAST_SESSION"] = "replay"
                #expect(try await named.run(["stop"]).output.contains("replay.mp4"))
                #expect(try await replay.waitForExit() == .exited(0))
                named.environment["BROADCAST_SESSION"] = "../etc"
                expectSentence(in: try await named.run(["stop"]).errors, saying: ["BROADCAST_SESSION"])
                // A start without a name never takes that of another session.
                let standard = try await studio.startLive(["--to", studio.path("out.mp4")])
                #expect(try await studio.broadcast.run(["stop"]).output.contains("out.mp4"))
                #expect(try await standard.waitForExit() == .exited(0))
                #expect(try await studio.broadcast.run(["stop"]).output.contains("lesson.mp4"))
                #expect(try await lesson.waitForExit() == .exited(0))
            }
        }

        @Test func `BROADCAST_SESSION names the session that is started`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                var named = studio.broadcast
                named.environment["BROADCAST_SESSION"] = "lesson"
                let start = try await named.run(["start", "--detach", "--to", studio.path("out.mp4")])
                #expect(
                    start.status == .exited(0) && start.errors.contains("broadcast stop --session lesson"), "\(start)")
                #expect(try await studio.status(of: "lesson")?.state == "live")
                #expect(try await named.run(["stop"]).status == .exited(0))
            }
        }
    }
}
