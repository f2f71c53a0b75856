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
                let files = try await ReadmeCommands.run(commands, server: server, in: studio)
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
    }
}
