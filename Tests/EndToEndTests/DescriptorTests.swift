import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Standard descriptors that are closed, full, left by their reader, or a terminal.
    struct DescriptorTests {
        @Test(arguments: [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
        func `Closed descriptors are not taken by files and sockets`(redirection: String) async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let result = try await shell(
                    "\"$0\" start --duration 1s --to \(studio.path("out.mp4")) \(redirection)", in: studio)
                #expect(result.status == .exited(0), "\(result.errors)")
                try await studio.media("out.mp4").expectDecodable()
                try studio.media("out.mp4").expectOrdinaryMP4()
            }
        }

        @Test func `A standard output that is closed or a terminal is refused for media`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let closed = try await shell("\"$0\" start --to - >&-", in: studio)
                #expect(closed.status == .exited(64))
                expectSentence(in: closed.errors, saying: ["closed", "> FILE"])
                let terminal = try await Terminal.open(environment: studio.broadcast.environment, in: studio.peers)
                try await terminal.type("\(studio.broadcast.binary) start --to -; echo status=$?")
                try await terminal.wait(for: "status=64")
                let text = try await terminal.text()
                #expect(text.contains("> FILE") && text.contains("| ffplay -"), "\(text)")
            }
        }

        @Test func `A write error of the output is status 74, and a closed pipe is not an error`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                for command in ["status", "list-extensions", "list-extensions --json"] {
                    let peer = try peers.start(
                        "shell", ["sh", "-c", "\"$0\" \(command) > /dev/full", broadcast.binary],
                        environment: broadcast.environment)
                    #expect(try await peer.waitForExit() == .exited(74), "\(command)")
                    expectSentence(in: peer.standardError, saying: ["standard output", "No space left on device"])
                }
                let peer = try peers.start(
                    "shell", ["bash", "-c", "\"$0\" list-extensions | true; exit ${PIPESTATUS[0]}", broadcast.binary],
                    environment: broadcast.environment)
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(peer.standardError == "")
            }
        }

        @Test func `events and status --watch end when their reader closes the pipe`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let session = try await studio.startLive(["--to", studio.path("out.mp4")])
                for command in ["events", "status --json --watch", "status --watch"] {
                    let peer = try studio.peers.start(
                        "shell",
                        [
                            "bash", "-c", "\"$0\" \(command) | head -n 1; exit ${PIPESTATUS[0]}",
                            studio.broadcast.binary,
                        ],
                        environment: studio.broadcast.environment)
                    #expect(try await peer.waitForExit() == .exited(0), "\(command)")
                    #expect(peer.standardError == "")
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
            }
        }

        @Test func `A session is found by the program's name, detached too`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                #expect(
                    try await studio.broadcast.run(["start", "--detach", "--to", studio.path("out.mp4")]).status
                        == .exited(0))
                let pid = try #require(try await studio.status()?.pid)
                #expect(
                    try await studio.peers.run("pgrep", ["pgrep", "-x", "broadcast"]).split(separator: "\n").contains(
                        "\(pid)"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        private nonisolated(nonsending) func shell(_ script: String, in studio: Studio) async throws
            -> BroadcastCommand.Result
        {
            let peer = try studio.peers.start(
                "shell", ["sh", "-c", script, studio.broadcast.binary], environment: studio.broadcast.environment)
            let status = try await peer.waitForExit()
            return .init(status: status, output: peer.standardOutput, errors: peer.standardError)
        }
    }
}
