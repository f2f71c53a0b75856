import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Broadcasts that outlive the command that started them.
    @Suite(.serialized)
    struct DetachTests {
        @Test func `A detached broadcast is live when the command returns, and goes on until it is stopped`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let start = try await studio.broadcast.run(["start", "--detach", "--title", "A talk", "--to", studio.path("out.mp4")])
                #expect(start.status == .exited(0) && start.output == "")
                #expect(start.errors.contains("live") && start.errors.contains("broadcast stop"))
                let first = try #require(try await studio.status())
                #expect(first.state == "live" && first.destinations.map(\.state) == ["live"])
                try await waitUntil("a second of broadcast") { (try await studio.status()?.elapsed ?? 0) > first.elapsed + 1 }
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0))
                #expect(stop.output.contains(studio.path("out.mp4")))
                try await studio.media("out.mp4").expectDecodable()
                try studio.media("out.mp4").expectOrdinaryMP4()
                try await waitUntil("the process's end") { kill(first.pid, 0) != 0 }
            }
        }

        @Test func `A detached broadcast that cannot start returns its error and status`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let cases: [(arguments: [String], status: Int32, word: String)] = [
                    (["--to", "rtmp://127.0.0.1:\(port)/live/key"], 69, "nothing listens there"),
                    (["--to", "/nowhere/at/all/a.mp4"], 73, "/nowhere/at/all/a.mp4"),
                    (["--to", "a.mp4", "--display", ":9999"], 66, ":9999"),
                    (["--to", "archive"], 66, "archive"),
                ]
                for (arguments, status, word) in cases {
                    let result = try await studio.broadcast.run(["start", "--detach"] + arguments)
                    #expect(result.status == .exited(status), "\(arguments): \(result.errors)")
                    expectSentence(in: result.errors, saying: [word])
                    #expect(result.output == "")
                }
                try await waitUntil("the last session's end") { try await studio.status() == nil }
            }
        }

        @Test func `With several destinations a detached start waits for all, and fails if one does`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let port = try freePort()
                let result = try await studio.broadcast.run(
                    ["start", "--detach", "--to", studio.path("out.mp4"), "--to", "rtmp://127.0.0.1:\(port)/live/key"])
                #expect(result.status == .exited(69))
                expectSentence(in: result.errors, saying: ["nothing listens there"])
                _ = try await studio.broadcast.run(["stop"])
            }
        }
    }
}
