import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Runs as root (`Tests/README.md`): only root can act as another user.
    struct OtherUserRootTests {
        /// A server of another user that answers every request as a session would, and writes what it was sent into its log.
        private static let impostor = """
            import os, socket, sys
            os.chmod(os.path.dirname(sys.argv[1]), 0o777)
            if sys.argv[2] == 'folder': os.chown(os.path.dirname(sys.argv[1]), 65534, 65534)
            os.setgid(65534); os.setuid(65534)
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o777); server.listen()
            print('listening', flush=True)
            while True:
                client, _ = server.accept()
                text = client.recv(65536)
                if text: print(text, flush=True)
                client.close()
            """

        @Test(arguments: ["folder", "socket"])
        func `A socket of another user is sent nothing`(foreign: String) async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                // Another user must be able to reach it: not below the folder of the test.
                let run = "/tmp/bi-\(UUID().uuidString.prefix(8))"
                for path in [run, run + "/broadcast"] { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
                defer { try? FileManager.default.removeItem(atPath: run) }
                var command = broadcast
                command.environment["XDG_RUNTIME_DIR"] = run
                let server = try peers.start("impostor", ["python3", "-c", Self.impostor, run + "/broadcast/default.sock", foreign])
                _ = try await server.waitForOutputLine(containing: "listening")
                for arguments in [["add-destination", "rtmp://h/live/VICTIMKEY"], ["stop"], ["status", "--session", "default"]] {
                    let result = try await command.run(arguments)
                    #expect(result.status == .exited(foreign == "folder" && arguments[0] == "status" ? 1 : 77), "\(arguments): \(result)")
                    #expect(!result.output.contains("default"))
                }
                #expect(server.standardOutput == "listening\n")
            }
        }
    }
}
