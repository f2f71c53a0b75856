import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// An encoder that is slower than real time.
    struct OverloadTests {
        @Test func `An encoder that is too slow is noticed, and the broadcast stays live`() async throws {
            try await withStudio(["everything"], width: 1280, height: 720, hasSound: false) { studio in
                let peer = try await studio.startLive([
                    "--preset", "placebo", "--fps", "60", "--to", studio.path("out.mp4"),
                ])
                _ = try await peer.waitForErrorLine(containing: "The machine is too slow for the chosen preset")
                let status = try await studio.broadcast.run(["status"])
                #expect(
                    status.output.contains("default: live") && status.output.contains("too slow"), "\(status.output)")
                let json = try await studio.broadcast.run(["status", "--json"])
                #expect(
                    json.output.contains("\"fastest_preset\":true")
                        || json.output.contains("\"fastest_preset\" : true"), "\(json.output)")
                try await studio.broadcast.waitForMoreSeconds(1, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                try await studio.media("out.mp4").expectDecodable()
            }
        }
    }
}
