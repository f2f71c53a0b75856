import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// RTMP servers that are none, and what is told about a stream key: nothing.
    struct HostileServerTests {
        private static let key = "s3cret-k3y-5417"

        @Test func `A server that closes the connection at once is reported as unreachable`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let result = try await start(against: "s.accept()[0].close()", studio)
                #expect(result.status == .exited(69))
                expectSentence(in: result.errors, saying: ["The server closed the connection"])
            }
        }

        @Test func `A server that does not answer in RTMP is reported as a violation of the protocol`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let result = try await start(
                    against:
                        "c = s.accept()[0]; c.sendall(b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n' * 400); c.recv(1 << 20); time.sleep(60)",
                    studio)
                #expect(result.status == .exited(76))
                expectSentence(in: result.errors, saying: ["RTMP", "address"])
            }
        }

        @Test func `The error for a server that rejects the stream does not contain the key`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers, live: "on_publish http://127.0.0.1:1/no;")
                let result = try await studio.broadcast.run(["start", "--to", server.url(key: Self.key)])
                #expect(result.status == .exited(77))
                expectSentence(in: result.errors, saying: ["server"])
                #expect(!result.errors.contains(Self.key))
            }
        }

        @Test func `The stream key is in no output, status, log or file`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let url = server.url(key: Self.key + "?token=" + Self.key)
                let arguments = [
                    "--to", url, "--to", studio.path("out.mp4"), "--to", studio.path("out.flv"), "--title", "A talk",
                ]
                let peer = try await studio.startLive(arguments)
                try await studio.waitUntilElapsed(1, of: peer)
                var texts: [String] = []
                for command in [["status", "--json"], ["status"], ["stop", "--json"]] {
                    let result = try await studio.broadcast.run(command)
                    #expect(result.status == .exited(0))
                    texts += [result.output, result.errors]
                }
                #expect(try await peer.waitForExit() == .exited(0))
                let detached = try await studio.broadcast.run(["start", "--detach"] + arguments)
                #expect(detached.status == .exited(0))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                texts += [
                    peer.standardError, detached.errors,
                    try String(contentsOfFile: studio.broadcast.home + "/state/broadcast/default.log", encoding: .utf8),
                ]
                for name in ["out.mp4", "out.flv"] {
                    texts.append(
                        String(decoding: try Data(contentsOf: URL(fileURLWithPath: studio.path(name))), as: UTF8.self))
                }
                #expect(texts.allSatisfy { !$0.contains(Self.key) })
                #expect(texts[0].contains("rtmp://127.0.0.1:\(server.port)/live"))
            }
        }

        /// Runs `broadcast start` against a server that listens and then does what this Python says with the socket
        /// `s`.
        private nonisolated(nonsending) func start(against behaviour: String, _ studio: Studio) async throws
            -> BroadcastCommand.Result
        {
            let port = try freePort()
            let program = """
                import socket, time
                s = socket.create_server(('127.0.0.1', \(port)))
                \(behaviour)
                """
            let server = try studio.peers.start("server", ["python3", "-c", program])
            try await server.wait(for: "its port") { isBound(port) }
            return try await studio.broadcast.run(["start", "--to", "rtmp://127.0.0.1:\(port)/live/\(Self.key)"])
        }
    }
}
