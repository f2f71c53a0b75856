import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What the config says about destinations, where it is right.
    struct ConfigurationTests {
        @Test func `The path of a file destination is a folder, made where it is missing and the same from everywhere`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let home = studio.broadcast.home
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.videos]
                    extension = "file"
                    path = "~/My Videos"
                    [destinations.relative]
                    extension = "file"
                    path = "talks"
                    [destinations.one]
                    extension = "file"
                    path = "one.mp4"
                    [destinations.deep]
                    extension = "file"
                    path = "~/no/such/folder"
                    """)
                try await studio.record(["--duration", "1s", "--to", "videos", "--to", "relative", "--to", "one"])
                for folder in ["My Videos", "talks"] {
                    let files = try FileManager.default.contentsOfDirectory(atPath: home + "/" + folder)
                    #expect(
                        files.count == 1 && files.allSatisfy { $0.hasPrefix("broadcast-20") && $0.hasSuffix(".mp4") },
                        "\(files)")
                }
                try await MediaFile(path: home + "/one.mp4", peers: studio.peers).expectDecodable()
                let deep = try await studio.broadcast.run(["start", "--to", "deep"])
                #expect(deep.status == .exited(73))
                expectSentence(in: deep.errors, saying: [home + "/no/such/folder", "No such file or directory"])
            }
        }

        @Test func `One file or destination under two spellings is refused`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                try studio.broadcast.writeConfiguration(
                    "[destinations.archive]\nextension = \"file\"\npath = \"\(studio.path("a.mp4"))\"\n"
                        + "[destinations.live]\nextension = \"rtmp\"\nurl = \"rtmp://127.0.0.1:9/live/key\"\n")
                let file = studio.path("a.mp4")
                try FileManager.default.createSymbolicLink(
                    atPath: studio.path("link.mp4"), withDestinationPath: "a.mp4")
                try FileManager.default.createSymbolicLink(
                    atPath: studio.folder + "-too", withDestinationPath: studio.folder)
                for other in [studio.path("./a.mp4"), studio.path("link.mp4"), studio.folder + "-too/a.mp4", "archive"]
                {
                    let result = try await studio.broadcast.run(["start", "--to", file, "--to", other])
                    #expect(result.status == .exited(64), "\(other)")
                    expectSentence(in: result.errors, saying: ["twice"])
                }
                let live = try await studio.broadcast.run(["start", "--to", "live", "--to", file, "--to", "live"])
                #expect(live.status == .exited(64))
                expectSentence(in: live.errors, saying: ["live is given twice"])
            }
        }

        @Test func `Bitrate and quality exclude each other, and an option goes before both`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                try studio.broadcast.writeConfiguration("[video]\nbitrate = 3000\nquality = 20\n")
                let refused = try await studio.broadcast.run(["start", "--to", studio.path("a.mp4")])
                #expect(refused.status == .exited(78))
                expectSentence(in: refused.errors, saying: ["config.toml:3: video.quality:", "bitrate"])
                try await studio.record(["--duration", "1s", "--to", studio.path("b.mp4"), "--quality", "30"])
                try await studio.record(["--duration", "1s", "--to", studio.path("c.mp4"), "--bitrate", "1000"])
            }
        }
    }
}
