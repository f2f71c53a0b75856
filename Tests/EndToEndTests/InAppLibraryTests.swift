import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The library BroadcastKit, through the examples that use it.
    struct InAppLibraryTests {
        @Test func `A program broadcasts the screen without a hidden window to a destination of the configuration`()
            async throws
        {
            try await withStudio(["secret"], width: 640, height: 480) { studio in
                let path = studio.path("screen.mp4")
                try studio.broadcast.writeConfiguration(
                    "[video]\nquality = 4\ncursor = false\n[destinations.archive]\nextension = \"file\"\npath = \"\(path)\"\n"
                )
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

        @Test func `A program keeps its disposition of SIGPIPE, and no thread of the library receives it`() async throws
        {
            try await withStudio(width: 640, height: 480) { studio in
                // The program waits for the answer of this server, so it does not end before it was looked at.
                let server = try await HostileServer.start("silence", in: studio.peers)
                try studio.broadcast.writeConfiguration(
                    "[destinations.show]\nextension = \"rtmp\"\nurl = \"\(server.url)\"\n")
                let program = try studio.peers.start(
                    "in-app", [try BuiltPrograms.path(of: "in-app"), "show"], environment: studio.broadcast.environment)
                let process = "/proc/\(program.processIdentifier)"
                let wanted: Set = ["capture", "video encoder", "to show", "NIO"]
                var blocked: [String: UInt64] = [:]
                try await program.wait(for: "its threads") {
                    for thread in try FileManager.default.contentsOfDirectory(atPath: process + "/task") {
                        let status = try? String(contentsOfFile: "\(process)/task/\(thread)/status", encoding: .utf8)
                        guard let status, let name = field("Name", of: status) else { continue }
                        let kind = wanted.first { name.hasPrefix($0) }
                        if let kind {
                            blocked[kind, default: .max] &=
                                field("SigBlk", of: status).flatMap { UInt64($0, radix: 16) } ?? 0
                        }
                    }
                    return Set(blocked.keys) == wanted
                }
                let brokenPipe: UInt64 = 1 << (UInt64(SIGPIPE) - 1)
                for (name, signals) in blocked {
                    #expect(signals & brokenPipe != 0, "the thread \(name) receives SIGPIPE")
                }
                // The disposition is changed and put back while the first event loop is made, after its thread is
                // there.
                try await program.wait(for: "the disposition of SIGPIPE") {
                    let status = try String(contentsOfFile: process + "/status", encoding: .utf8)
                    return field("SigIgn", of: status).flatMap { UInt64($0, radix: 16) }.map { $0 & brokenPipe == 0 }
                        ?? false
                }
                try await program.killNow()
            }
        }

        /// Returns a field of a status file of proc(5).
        private func field(_ name: String, of status: String) -> String? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(separator: "\t").last.map(
                String.init)
        }

        @Test(arguments: [
            ("nowhere", 1, "There is no destination \"nowhere\"."),
            ("mobcrush", 77, "Not signed in to mobcrush. Run: broadcast setup mobcrush"),
        ])
        func `A program reads from the error why a destination cannot start`(
            name: String, status: Int32, sentence: String
        ) async throws {
            try await withPeers { peers in
                let home = try BroadcastCommand(in: peers)
                let peer = try peers.start(
                    "in-app", [try BuiltPrograms.path(of: "in-app"), name], environment: home.environment)
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
                #expect(
                    centres.count > 10 && centres == centres.sorted()
                        && (centres.last ?? 0) - (centres.first ?? 0) > 400, "\(centres)")
            }
        }

        @Test func `A file that cannot be created is an error with its path`() async throws {
            try await withPeers { peers in
                let peer = try peers.start(
                    "own-pictures", [try BuiltPrograms.path(of: "own-pictures"), "/nonexistent/game.mp4"])
                // Swift ends a program whose main throws with a trap.
                peer.expectSignal(SIGILL)
                let status = try await peer.waitForExit(deadline: .seconds(30))
                #expect(status != .exited(0))
                #expect(peer.standardError.contains("Cannot create /nonexistent/game.mp4"), "\(peer.standardError)")
            }
        }
    }
}
