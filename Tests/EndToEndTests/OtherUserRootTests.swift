import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Runs as root (`Tests/README.md`): only root can act as another user.
    struct OtherUserRootTests {
        /// A server of another user that answers every request as a session would, and writes what it was sent into its
        /// log.
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
                for path in [run, run + "/broadcast"] {
                    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                }
                defer { try? FileManager.default.removeItem(atPath: run) }
                var command = broadcast
                command.environment["XDG_RUNTIME_DIR"] = run
                let server = try peers.start(
                    "impostor", ["python3", "-c", Self.impostor, run + "/broadcast/default.sock", foreign])
                _ = try await server.waitForOutputLine(containing: "listening")
                for arguments in [
                    ["add-destination", "rtmp://h/live/VICTIMKEY"], ["stop"], ["status", "--session", "default"],
                ] {
                    let result = try await command.run(arguments)
                    #expect(
                        result.status == .exited(foreign == "folder" && arguments[0] == "status" ? 1 : 77),
                        "\(arguments): \(result)")
                    #expect(!result.output.contains("default"))
                }
                #expect(server.standardOutput == "listening\n")
            }
        }

        /// `sudo HOME=$HOME`: root has a runtime folder of its own, and the state folder of the user.
        @Test(arguments: [["start"], ["start", "--detach"]])
        func `Root writes nothing among the files of another user, and says so`(command: [String]) async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let desktop = try await FakeDesktop.start(in: studio.peers, server: "gnome-shell", inhibits: false)
                var broadcast = studio.broadcast
                broadcast.environment.merge(desktop.environment) { $1 }
                let state = broadcast.home + "/state"
                try FileManager.default.createDirectory(
                    atPath: state + "/broadcast/sessions", withIntermediateDirectories: true)
                let victim = studio.path("victim")
                try "kept".write(toFile: victim, atomically: false, encoding: .utf8)
                try FileManager.default.createSymbolicLink(
                    atPath: state + "/broadcast/default.log", withDestinationPath: victim)
                for path in [state, state + "/broadcast", state + "/broadcast/sessions"] {
                    #expect(chown(path, 12_345, 12_345) == 0)
                }
                let result = try await broadcast.run(command + ["--duration", "1s", "--to", studio.path("a.mp4")])
                #expect(result.status == .exited(73), "\(result)")
                expectSentence(in: result.errors, saying: ["another user", "Run the command as that user"])
                let names = try FileManager.default.subpathsOfDirectory(atPath: state).sorted()
                #expect(names == ["broadcast", "broadcast/default.log", "broadcast/sessions"])
                #expect(try String(contentsOfFile: victim, encoding: .utf8) == "kept")
                #expect(!FileManager.default.fileExists(atPath: studio.path("a.mp4")))
            }
        }
    }
}
