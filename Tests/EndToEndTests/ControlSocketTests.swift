import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What a live session makes of nonsense on its control socket.
    struct ControlSocketTests {
        @Test func `Nonsense on the control socket does not disturb the session`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                let folder = studio.broadcast.home + "/run/broadcast"
                let socket = folder + "/default.sock"
                #expect(try permissions(of: folder) == 0o700 && permissions(of: socket) == 0o600)

                #expect(try await answer(to: "'garbage\\n'", at: socket, studio).contains("\"error\""))
                #expect(try await answer(to: "'{}\\n'", at: socket, studio).contains("\"error\""))
                #expect(try await answer(to: "'[1, 2]\\n'", at: socket, studio).contains("\"error\""))
                #expect(try await answer(to: "'\\xff\\xfe\\x00\\n'", at: socket, studio).contains("\"error\""))
                #expect(try await answer(to: "'{\"command\": \"dance\"}\\n'", at: socket, studio).contains("dance"))
                // An unknown field is ignored, and a second line is answered too.
                let two = try await answer(
                    to: "'{\"command\": \"status\", \"later\": 1}\\n{\"command\": \"status\"}\\n'", at: socket, studio)
                #expect(two.split(separator: "\n").count { $0.contains("\"live\"") } == 2)
                // A line over 64 KiB, with its end or without, closes the connection.
                #expect(try await answer(to: "'x' * 70000 + '\\n'", at: socket, studio) == "closed")
                #expect(try await answer(to: "'x' * 70000", at: socket, studio) == "closed")
                // Half a line and then nothing.
                #expect(try await answer(to: "'{\"command\": '", at: socket, studio, waits: false) == "")

                #expect(try await studio.status()?.state == "live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                try await studio.media("out.mp4").expectDecodable()
            }
        }

        private func permissions(of path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }

        /// What the session answers to that Python string before it falls silent; `closed` if it closes the connection
        /// instead.
        private nonisolated(nonsending) func answer(
            to text: String, at socket: String, _ studio: Studio, waits: Bool = true
        ) async throws -> String {
            let program = """
                import socket
                s = socket.socket(socket.AF_UNIX)
                s.connect('\(socket)')
                s.settimeout(\(waits ? 10 : 0.2))
                answer = b''
                wanted = (\(text)).count('\\n') or 1
                try:
                    s.sendall((\(text)).encode('latin-1'))
                    while answer.count(b'\\n') < wanted:
                        piece = s.recv(1 << 20)
                        if not piece: answer = b'closed'; break
                        answer += piece
                except ConnectionError: answer = b'closed'
                except TimeoutError: pass
                print(answer.decode(), end='')
                """
            return try await studio.peers.run("client", ["python3", "-c", program])
        }
    }
}
