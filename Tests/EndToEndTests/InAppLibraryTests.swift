import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The session as a library, through the example that shows it.
    @Suite(.serialized)
    struct InAppLibraryTests {
        @Test func `The example's own pictures become a file, and it is told of start and stop`() async throws {
            try await withPeers { peers in
                let path = try peers.makeFolder("out") + "/game.mp4"
                let answer = try await peers.run("in-app", [try BuiltPrograms.path(of: "in-app"), path], deadline: .seconds(60))
                let lines = answer.split(separator: "\n").map(String.init)
                #expect(lines.first == "started" && lines.contains { $0.hasPrefix("stopped(") }, "\(lines)")
                #expect(lines.last?.hasPrefix(path) == true && lines.last?.hasSuffix("bytes") == true, "\(lines)")
                let media = MediaFile(path: path, peers: peers)
                try await media.expectDecodable()
                let probe = try await FFProbe.probe(path, in: peers)
                #expect(probe.video?.width == 640 && probe.video?.height == 360 && probe.audio == nil)
                #expect((60...110).contains(probe.video?.frames ?? 0))
                // The bar wanders to the right: the bright columns of the first and of the last picture.
                var centres: [Int] = []
                try await FrameDecoder(path, size: (640, 360)).forEachFrame(in: peers) { frame in
                    let row = frame.bytes[(180 * 640)..<(181 * 640)]
                    let bright = row.indices.filter { row[$0] > 128 }.map { $0 - row.startIndex }
                    if !bright.isEmpty { centres.append(bright.reduce(0, +) / bright.count) }
                    return true
                }
                #expect(centres.count > 50 && centres == centres.sorted() && (centres.last ?? 0) - (centres.first ?? 0) > 400, "\(centres)")
            }
        }

        @Test func `What cannot be started says so`() async throws {
            try await withPeers { peers in
                let peer = try peers.start("in-app", [try BuiltPrograms.path(of: "in-app"), "/nonexistent/game.mp4"])
                // Swift ends a program whose main throws with a trap.
                peer.expectSignal(SIGILL)
                let status = try await peer.waitForExit(deadline: .seconds(30))
                #expect(status != .exited(0))
                #expect(peer.standardError.contains("Cannot create /nonexistent/game.mp4"), "\(peer.standardError)")
            }
        }
    }
}
