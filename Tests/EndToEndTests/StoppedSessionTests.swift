import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Sessions that were stopped by SIGSTOP or are stuck: nobody waits for them for ever.
    struct StoppedSessionTests {
        @Test func `A session that is stopped by SIGSTOP is reported, and the other sessions can still be controlled`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let stuck = try await studio.startLive(["--to", studio.path("stuck.mp4")], session: "stuck")
                let well = try await studio.startLive(["--to", studio.path("well.mp4")], session: "well")
                stuck.signal(SIGSTOP)
                let process = "process \(stuck.processIdentifier)"
                let status = try await studio.broadcast.run(["status", "--json"])
                #expect(status.status == .exited(69))
                #expect(try StatusAnswer(json: status.output).sessions.map(\.session) == ["well"])
                expectSentence(in: status.errors, saying: ["stuck", process, "kill -CONT"])
                // Side by side: each waits for the session's answer for seconds.
                let commands = ["stop", "pause", "events", "logs -f"]
                let running = try commands.map {
                    try studio.broadcast.start($0.split(separator: " ").map(String.init) + ["--session", "stuck"])
                }
                for (command, peer) in zip(commands, running) {
                    #expect(try await peer.waitForExit() == .exited(69), "\(command)")
                    if command == "logs -f" {
                        #expect(peer.standardOutput.contains("session stuck: live"))
                    } else {
                        expectSentence(in: peer.standardError, saying: ["stuck", process])
                    }
                }
                // The other one is stopped all the same.
                let all = try await studio.broadcast.run(["stop", "--all"])
                #expect(all.status == .exited(69) && all.output.contains("well.mp4"))
                expectSentence(in: all.errors, saying: ["stuck", process])
                #expect(try await well.waitForExit() == .exited(0))
                // It was asked to stop, and does so when it can.
                stuck.signal(SIGCONT)
                #expect(try await stuck.waitForExit() == .exited(0))
                for name in ["stuck.mp4", "well.mp4"] { try await studio.media(name).expectDecodable() }
            }
        }

        @Test func `What is longer than a session reads is refused before it is sent`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                let result = try await studio.broadcast.run([
                    "annotate", "notes=" + String(repeating: "x", count: 70_000),
                ])
                #expect(result.status == .exited(64))
                expectSentence(in: result.errors, saying: ["64 KiB"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: studio.broadcast.home + "/run/broadcast") == [])
            }
        }

        @Test func `An invalid configuration does not prevent a stop`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                try studio.broadcast.writeConfiguration("[vidoe]\n")
                #expect(try await studio.broadcast.run(["status"]).output.contains("default: live"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }
    }
}
