import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What README.md and docs/usage.md promise.
    struct ReadmeTests {
        @Test func `Every command in the README and the usage guide works as written`() async throws {
            try await withStudio(["demo"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                try studio.broadcast.writeConfiguration(try #require(try ReadmeCommands.configuration()))
                let commands = try ReadmeCommands.all()
                #expect(commands.count >= 20)
                let environment = try environment(for: studio)
                for command in commands {
                    let result = try await run(withServer(server, in: command), environment: environment, in: studio)
                    #expect(result.status == .exited(0), "\(command): \(result.errors)")
                }
                _ = try await studio.broadcast.run(["stop", "--all"])
                let files = try FileManager.default.contentsOfDirectory(atPath: studio.folder).filter {
                    !$0.hasPrefix("std")
                }
                #expect(!files.isEmpty)
                for file in files { try await studio.media(file).expectDecodable() }
            }
        }

        @Test func `The example configurations of the README and the usage guide are accepted`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let configurations = try ReadmeCommands.configurations()
                #expect(configurations.count == 2)
                for configuration in configurations {
                    try broadcast.writeConfiguration(configuration)
                    let result = try await broadcast.run(["list-destinations"])
                    #expect(result.status == .exited(0) && result.errors == "")
                    #expect(result.output.contains("* ") && result.output.contains("archive"))
                }
            }
        }

        /// Only the example's server is another one.
        private func withServer(_ server: NginxRTMP, in command: String) -> String {
            command.replacingOccurrences(
                of: #"rtmp://(127\.0\.0\.1|localhost|[a-z0-9.-]*example\.(com|org|net))(:[0-9]+)?/[a-z]+"#,
                with: "rtmp://127.0.0.1:\(server.port)/live",
                options: .regularExpression)
        }

        /// `broadcast` in PATH, and an mpv that needs neither screen nor loudspeaker.
        private func environment(for studio: Studio) throws -> [String: String] {
            let mpv = try studio.peers.makeFolder("mpv")
            try "vo=null\nao=null\n".write(toFile: mpv + "/mpv.conf", atomically: false, encoding: .utf8)
            let folder = URL(fileURLWithPath: studio.broadcast.binary).deletingLastPathComponent().path
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
            return studio.broadcast.environment.merging(["MPV_HOME": mpv, "PATH": folder + ":" + path]) { $1 }
        }

        /// Runs one in bash. A broadcast without an end is stopped from outside, once it has run longer than any with
        /// one.
        private nonisolated(nonsending) func run(
            _ command: String, environment: [String: String], in studio: Studio
        ) async throws -> (status: TestSupport.ExitStatus, errors: String) {
            let peer = try studio.peers.start(
                "readme", ["bash", "-o", "pipefail", "-c", command], environment: environment, folder: studio.folder)
            let isEndless =
                command.contains("broadcast start") && !command.contains("--duration") && !command.contains("--detach")
            if isEndless {
                // Content may end by itself.
                try await waitUntil("3 s of \(command)") {
                    if peer.status != nil { return true }
                    return (try await studio.status()?.elapsed ?? 0) >= 3
                }
                _ = try await studio.broadcast.run(["stop", "--all"])
            }
            let status = try await peer.waitForExit(deadline: .seconds(60))
            return (status, String(peer.standardError.suffix(2000)))
        }
    }
}
