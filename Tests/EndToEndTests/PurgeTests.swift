import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast purge`: what is the user's goes, and nothing else.
    struct PurgeTests {
        /// A home with a configuration, a secret in a file, and a log.
        private nonisolated(nonsending) func prepare(_ broadcast: BroadcastCommand, _ peers: Peers) async throws {
            try broadcast.writeConfiguration(
                "[destinations.mine]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1/live\"\n")
            let answer = try await broadcast.run(
                ["setup", "mine", "--secret-from-stdin", "key", "--plain-file"], reading: "s3cret\n")
            #expect(answer.status == .exited(0), "\(answer.errors)")
            try FileManager.default.createDirectory(
                atPath: broadcast.home + "/state/broadcast", withIntermediateDirectories: true)
            try "a line\n".write(
                toFile: broadcast.home + "/state/broadcast/talk.log", atomically: true, encoding: .utf8)
            try "a film".write(toFile: broadcast.home + "/Videos/talk.mp4", atomically: true, encoding: .utf8)
        }

        private func left(in home: String) throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: home).filter { $0.contains("/") }.sorted()
        }

        @Test func `It lists first, asks, and removes settings, secrets and logs, but no recording`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try await prepare(broadcast, peers)
                let before = try left(in: broadcast.home)
                let listed = try await broadcast.run(["purge", "--dry-run"])
                #expect(listed.status == .exited(0) && listed.output.contains("mine: its stored secrets"))
                for folder in ["config", "data", "state"] {
                    #expect(listed.output.contains("\(broadcast.home)/\(folder)/broadcast: "))
                }
                #expect(!listed.output.contains("s3cret"))
                let unasked = try await broadcast.run(["purge"])
                #expect(unasked.status == .exited(64) && unasked.errors.contains("--yes"))
                #expect(try left(in: broadcast.home) == before)
                let done = try await broadcast.run(["purge", "--yes"])
                #expect(done.status == .exited(0), "\(done.errors)")
                #expect(try left(in: broadcast.home) == ["Videos/talk.mp4"])
                let again = try await broadcast.run(["purge", "--yes"])
                #expect(again.status == .exited(0) && again.errors.contains("nothing to remove"))
            }
        }

        @Test func `A terminal is asked, and anything but yes removes nothing`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try await prepare(broadcast, peers)
                let terminal = try await Terminal.open(environment: broadcast.environment, in: peers)
                try await terminal.type("'\(broadcast.binary)' purge; echo \"status $?\"")
                try await terminal.wait(for: "Remove all of this? [y/N]")
                try await terminal.type("")
                try await terminal.wait(for: "status 1")
                #expect(FileManager.default.fileExists(atPath: broadcast.home + "/config/broadcast/config.toml"))
                // The first question is still shown, and what is typed before the second one does not answer it.
                try await terminal.type("echo be''gin; '\(broadcast.binary)' purge; echo \"status $?\"")
                try await terminal.wait(for: "Remove all of this? [y/N]", after: "begin")
                try await terminal.type("y")
                try await terminal.wait(for: "status 0")
                #expect(try left(in: broadcast.home) == ["Videos/talk.mp4"])
            }
        }

        @Test func `A folder that others can change, or a link, is not followed`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try await prepare(broadcast, peers)
                let folder = broadcast.home + "/config/broadcast"
                #expect(chmod(folder, 0o777) == 0)
                let before = try left(in: broadcast.home)
                let refused = try await broadcast.run(["purge", "--yes"])
                #expect(refused.status == .exited(77) && refused.errors.contains(folder), "\(refused.errors)")
                #expect(try left(in: broadcast.home) == before)
                // A folder in it whose content cannot be removed.
                let locked = broadcast.home + "/state/broadcast/locked"
                #expect(chmod(folder, 0o700) == 0)
                try FileManager.default.createDirectory(atPath: locked, withIntermediateDirectories: true)
                try "x".write(toFile: locked + "/file", atomically: true, encoding: .utf8)
                #expect(chmod(locked, 0o500) == 0)
                let failed = try await broadcast.run(["purge", "--yes"])
                #expect(
                    failed.status == .exited(74) && failed.errors.contains("state/broadcast: Permission denied"),
                    "\(failed.errors)")
                #expect(chmod(locked, 0o700) == 0)
                try await prepare(broadcast, peers)
                // As people have it who keep their settings in a repository.
                let elsewhere = broadcast.home + "/Videos/dotfiles"
                #expect(rename(folder, elsewhere) == 0 && symlink(elsewhere, folder) == 0)
                #expect(try await broadcast.run(["purge", "--yes"]).status == .exited(0))
                #expect(
                    try left(in: broadcast.home) == [
                        "Videos/dotfiles", "Videos/dotfiles/config.toml", "Videos/talk.mp4",
                    ])
            }
        }

        @Test func `While a session runs, nothing is removed`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                _ = try await studio.startLive(["--to", studio.path("out.mp4")])
                let test = try await studio.broadcast.run(["doctor", "--line", "--yes", "rtmp://127.0.0.1:1/live"])
                #expect(test.status == .exited(1) && test.errors.contains("would take its line"))
                let refused = try await studio.broadcast.run(["purge", "--yes"])
                #expect(refused.status == .exited(1) && refused.errors.contains("broadcast stop --all"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["purge", "--yes"]).status == .exited(0))
                #expect(FileManager.default.fileExists(atPath: studio.path("out.mp4")))
            }
        }
    }
}
