import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The library BroadcastKit, through the examples that use it.
    @Suite(.serialized)
    struct InAppLibraryTests {
        @Test func `A program broadcasts the screen without a hidden window to a destination of the configuration`() async throws {
            try await withStudio(["secret"], width: 640, height: 480) { studio in
                let path = studio.path("screen.mp4")
                try studio.broadcast.writeConfiguration(
                    "[video]\nquality = 4\ncursor = false\n[destinations.archive]\nextension = \"file\"\npath = \"\(path)\"\n")
                let program = try BuiltPrograms.path(of: "in-app")
                let answer = try await studio.peers.run(
                    "in-app", [program, "archive", "class:secret"], environment: studio.broadcast.environment)
                let lines = answer.split(separator: "\n").map(String.init)
                #expect(lines.first == "started" && lines.contains { $0.hasPrefix("stopped(") }, "\(lines)")
                #expect(lines.last?.hasPrefix(path) == true && lines.last?.hasSuffix("bytes") == true, "\(lines)")
                let media = studio.media("screen.mp4")
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(path, in: studio.peers)
                #expect(probe.video?.width == 640 && probe.video?.height == 480 && probe.audio != nil)
                var (frames, lit) = (0, 0)
                try await FrameDecoder(path, layout: .rgb24).forEachFrame(in: studio.peers) { frame in
                    frames += 1
                    #expect(frame.loudness < 30, "the frame at \(frame.pts) s shows the hidden window")
                    // A cover over everything would hide it too.
                    let bright = stride(from: 1, to: frame.bytes.count, by: 3).count { frame.bytes[$0] > 90 }
                    if bright * 8 > frame.width * frame.height { lit += 1 }
                    return true
                }
                #expect(frames > 25 && lit > frames / 2, "\(frames) frames, \(lit) show the screen")
            }
        }

        @Test func `A program keeps its disposition of SIGPIPE, also when the server closes the connection`() async throws {
            try await withStudio(width: 640, height: 480) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                try studio.broadcast.writeConfiguration("[destinations.show]\nextension = \"rtmp\"\nurl = \"\(server.url(key: "key"))\"\n")
                let program = try studio.peers.start(
                    "in-app", [try BuiltPrograms.path(of: "in-app"), "show"], environment: studio.broadcast.environment)
                try await program.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                let file = "/proc/\(program.processIdentifier)/status"
                let status = String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
                let ignored = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }?.split(separator: "\t").last)
                #expect(try #require(UInt64(ignored, radix: 16)) & 1 << (UInt64(SIGPIPE) - 1) == 0, "the process ignores SIGPIPE")
                try await server.peer.killNow()
                // Its default would end the program if a thread that writes to the connection did not block it.
                #expect(try await program.waitForExit() == .exited(0))
                #expect(program.standardOutput.contains("reconnecting"), "\(program.standardOutput)")
            }
        }

        @Test(arguments: [
            ("nowhere", 1, "There is no destination \"nowhere\"."), ("mobcrush", 77, "Not signed in to mobcrush. Run: broadcast setup mobcrush"),
        ])
        func `A program reads from the error why a destination cannot start`(name: String, status: Int32, sentence: String) async throws {
            try await withPeers { peers in
                let home = try BroadcastCommand(in: peers)
                let peer = try peers.start("in-app", [try BuiltPrograms.path(of: "in-app"), name], environment: home.environment)
                #expect(try await peer.waitForExit(deadline: .seconds(30)) == .exited(status))
                #expect(peer.standardError == sentence + "\n")
            }
        }

        @Test func `A program's own pictures become a file, and it is notified of start and stop`() async throws {
            try await withPeers { peers in
                let path = try peers.makeFolder("out") + "/game.mp4"
                let answer = try await peers.run(
                    "own-pictures", [try BuiltPrograms.path(of: "own-pictures"), path], deadline: .seconds(60))
                let lines = answer.split(separator: "\n").map(String.init)
                #expect(lines.first == "started" && lines.contains { $0.hasPrefix("stopped(") }, "\(lines)")
                #expect(lines.last?.hasPrefix(path) == true && lines.last?.hasSuffix("bytes") == true, "\(lines)")
                let media = MediaFile(path: path, peers: peers)
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(path, in: peers)
                #expect(probe.video?.width == 640 && probe.video?.height == 360 && probe.audio == nil)
                // The bar moves to the right: the bright columns of the first and of the last picture.
                var centres: [Int] = []
                try await FrameDecoder(path, size: (640, 360)).forEachFrame(in: peers) { frame in
                    let row = frame.bytes[(180 * 640)..<(181 * 640)]
                    let bright = row.indices.filter { row[$0] > 128 }.map { $0 - row.startIndex }
                    if !bright.isEmpty { centres.append(bright.reduce(0, +) / bright.count) }
                    return true
                }
                #expect(centres.count > 10 && centres == centres.sorted() && (centres.last ?? 0) - (centres.first ?? 0) > 400, "\(centres)")
            }
        }

        @Test func `A file that cannot be created is an error with its path`() async throws {
            try await withPeers { peers in
                let peer = try peers.start("own-pictures", [try BuiltPrograms.path(of: "own-pictures"), "/nonexistent/game.mp4"])
                // Swift ends a program whose main throws with a trap.
                peer.expectSignal(SIGILL)
                let status = try await peer.waitForExit(deadline: .seconds(30))
                #expect(status != .exited(0))
                #expect(peer.standardError.contains("Cannot create /nonexistent/game.mp4"), "\(peer.standardError)")
            }
        }
    }
}
