import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// `broadcast config`.
    struct ConfigCommandTests {
        @Test func `A key is set, read and checked, and a wrong one leaves the file as it is`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let path = try await broadcast.run(["config"]).output.dropLast()
                #expect(path == broadcast.home + "/config/broadcast/config.toml")
                #expect(try await broadcast.run(["config", "get", "video.fps"]).status == .exited(1))
                #expect(try await broadcast.run(["config", "set", "video.fps", "25"]).status == .exited(0))
                #expect(try await broadcast.run(["config", "get", "video.fps"]).output == "25\n")
                #expect(try await broadcast.run(["config", "check"]).status == .exited(0))
                for (key, value, status) in [
                    ("video.fps", "0", 78), ("preferred", "nosuch", 78), ("nosuch.key", "1", 78), ("", "1", 64),
                ] {
                    let result = try await broadcast.run(["config", "set", key, value])
                    #expect(result.status == .exited(Int32(status)), "\(key): \(result)")
                    expectSentence(in: result.errors, saying: [])
                    // The lines of the text that was not written are no lines of the file.
                    #expect(result.errors.firstMatch(of: /config\.toml:\d/) == nil, "\(result.errors)")
                }
                #expect(try String(contentsOfFile: String(path), encoding: .utf8) == "[video]\nfps = 25\n")
                try "[video]\nsize = \"1280x720\"\n[audio]\nbitrate = 1\n".write(
                    toFile: String(path), atomically: true, encoding: .utf8)
                let other = try await broadcast.run(["config", "set", "video.fps", "30"])
                #expect(
                    other.status == .exited(78) && other.errors.contains("config.toml:4: audio.bitrate"), "\(other)")
                let sample = try await broadcast.run(["config", "sample"])
                try sample.output.write(toFile: String(path), atomically: true, encoding: .utf8)
                #expect(try await broadcast.run(["config", "check"]).status == .exited(0))
            }
        }

        @Test func `A new destination is made by its address, or by several keys`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let mine = try await broadcast.run(["config", "set", "destinations.mine.url", "rtmp://127.0.0.1/live"])
                #expect(mine.status == .exited(0) && mine.errors.contains("extension is rtmp"), "\(mine)")
                let talks = try await broadcast.run([
                    "config", "set", "destinations.talks.extension", "file", "destinations.talks.path", "talks/",
                ])
                #expect(talks.status == .exited(0), "\(talks)")
                let list = try await broadcast.run(["list-destinations"])
                #expect(list.output.contains("mine") && list.output.contains("talks"), "\(list)")
                let odd = try await broadcast.run(["config", "set", "video.fps", "25", "video.size"])
                #expect(odd.status == .exited(64), "\(odd)")
            }
        }

        @Test func `A stream key in an address and a command for secrets are not printed`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try broadcast.writeConfiguration(
                    """
                    [destinations.mine]
                    extension = "rtmp"
                    url = "rtmp://h/app/SEKRET"
                    key-command = "echo SEKRET"
                    """)
                for key in ["url", "key-command"] {
                    let result = try await broadcast.run(["config", "get", "destinations.mine." + key])
                    #expect(result.status == .exited(0) && !result.output.contains("SEKRET"), "\(result)")
                }
            }
        }

        @Test func `A link is followed to an ordinary file, and nothing else is replaced`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let folder = broadcast.home + "/config/broadcast"
                let (path, target) = (folder + "/config.toml", broadcast.home + "/dotfiles.toml")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
                // A file that is away can contain rules of privacy.
                let away = try await broadcast.run(["config", "set", "video.fps", "25"])
                #expect(away.status == .exited(78), "\(away)")
                try "# mine\n".write(toFile: target, atomically: true, encoding: .utf8)
                #expect(try await broadcast.run(["config", "set", "video.fps", "25"]).status == .exited(0))
                #expect(try String(contentsOfFile: target, encoding: .utf8) == "# mine\n\n[video]\nfps = 25\n")
                #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
                try FileManager.default.removeItem(atPath: path)
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
                let device = try await broadcast.run(["config", "set", "video.fps", "25"])
                #expect(device.status == .exited(78), "\(device)")
            }
        }
    }
}
