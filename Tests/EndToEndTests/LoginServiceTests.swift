import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast service` where no user manager of systemd runs. `LoginServiceRootTests` runs one.
    struct LoginServiceTests {
        @Test func `Without systemd an entry of the autostart folder starts the broadcast, until it is disabled`()
            async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                let broadcast = studio.broadcast
                try broadcast.writeConfiguration(
                    "[destinations.mine]\nextension = \"file\"\npath = \"\(studio.folder)/mine.mp4\"\n")
                let result = try await broadcast.run(["service", "enable", "mine"])
                #expect(result.status == .exited(0) && result.output.contains("autostart"), "\(result)")
                let status = try await broadcast.run(["service", "status"])
                #expect(status.output == "mine  enabled  inactive\n", "\(status)")
                let json = try await broadcast.run(["service", "status", "mine", "--json"])
                #expect(json.output.contains("\"started_by\" : \"autostart\""), "\(json)")

                // The desktop starts what the entry says: the words between quotation marks, and the others.
                let folder = try #require(broadcast.environment["XDG_CONFIG_HOME"])
                let entry = try String(contentsOfFile: folder + "/autostart/broadcast-mine.desktop", encoding: .utf8)
                let line = try #require(entry.split(separator: "\n").first { $0.hasPrefix("Exec=") }).dropFirst(5)
                let started = try studio.peers.start(
                    "desktop", ["sh", "-c", String(line)], environment: broadcast.environment)
                #expect(try await started.waitForExit() == .exited(0), "\(started.standardError)")
                #expect(try await broadcast.run(["stop", "--session", "mine"]).status == .exited(0))
                #expect(FileManager.default.fileExists(atPath: studio.folder + "/mine.mp4"))

                #expect(try await broadcast.run(["service", "disable", "mine"]).status == .exited(0))
                #expect(try await broadcast.run(["service", "disable", "mine"]).status == .exited(1))
                #expect(try await broadcast.run(["service", "status", "mine"]).status == .exited(1))

                let now = try await broadcast.run(["service", "enable", "mine", "--now"])
                #expect(now.status == .exited(0) && now.output.contains("and now"), "\(now)")
                #expect(try await broadcast.run(["service", "status"]).output == "mine  enabled  active\n")
                #expect(try await broadcast.run(["status", "--session", "mine"]).status == .exited(0))
                #expect(try await broadcast.run(["service", "disable", "mine", "--now"]).status == .exited(0))
                #expect(try await broadcast.run(["status", "--session", "mine"]).status == .exited(1))
            }
        }

        @Test func `What a login could not start is refused`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                for (name, status) in [("twitch", 77), ("nothing", 66), ("file", 66), ("rtmp://host/app/KEYKEY", 66)] {
                    let result = try await broadcast.run(["service", "enable", name])
                    #expect(result.status == .exited(Int32(status)), "\(result)")
                    #expect(!"\(result)".contains("KEYKEY"))
                }
                // The network can come after the login; a recording needs none.
                try await ShippedExtensions.lay(in: peers)
                #expect(try await broadcast.run(["service", "enable", "lan"]).status == .exited(0))
                let folder = try #require(broadcast.environment["XDG_CONFIG_HOME"])
                let entry = try String(contentsOfFile: folder + "/autostart/broadcast-lan.desktop", encoding: .utf8)
                #expect(entry.contains(" --to lan --wait-for-network --no-dialog "), "\(entry)")
                #expect(try await broadcast.run(["service", "disable", "lan"]).status == .exited(0))
                let none = try await broadcast.run(["service"])
                #expect(none.status == .exited(0) && none.output.isEmpty)
            }
        }
    }
}
