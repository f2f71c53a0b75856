import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// Servers that fall silent or lie, as who types `broadcast start` meets them.
    struct HostileFaults {
        /// What the server does, the status that the user gets, and words of the sentence.
        private static let behaviours: [(name: String, status: Int32, words: [String])] = [
            ("silence", 69, ["did not answer in time"]),
            ("half-a-handshake", 69, ["did not answer in time"]),
            ("no-s2", 69, ["did not answer in time"]),
            ("no-answer-to-connect", 69, ["did not answer in time"]),
            ("no-answer-to-create-stream", 69, ["did not answer in time"]),
            ("no-answer-to-publish", 69, ["did not answer in time"]),
            ("half-a-chunk", 69, ["did not answer in time"]),
            ("empty-chunks", 76, ["more than a publisher needs"]),
            ("close-command", 69, ["closed the connection"]),
            ("huge-claim", 76, ["16777215 bytes"]),
            ("authentication", 77, ["user name"]),
            ("redirect-loop", 77, ["in a circle"]),
        ]

        /// All at once: most of them wait for a deadline of ten seconds.
        @Test func `Every hostile server is a reported error within 60 s and below 80 MB`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                var broadcasts: [(name: String, peer: Peer)] = []
                for (name, _, _) in Self.behaviours {
                    let server = try await HostileServer.start(name, in: studio.peers)
                    let arguments = ["start", "--session", name, "--fps", "5", "--no-app-audio", "--to", server.url]
                    broadcasts.append((name, try studio.broadcast.start(arguments)))
                }
                let begin = ContinuousClock.now
                var peaks: [String: Int] = [:]
                try await waitUntil("the end of all of them", deadline: .seconds(60)) {
                    for (name, peer) in broadcasts { peaks[name] = max(peaks[name] ?? 0, peer.memory()?.peak ?? 0) }
                    return broadcasts.allSatisfy { $0.peer.status != nil }
                }
                print(
                    "all hostile servers: \(ContinuousClock.now - begin), at most \((peaks.values.max() ?? 0) >> 20) MB"
                )
                #expect(peaks.values.allSatisfy { $0 < 80 << 20 }, "\(peaks)")
                for ((name, peer), (_, status, words)) in zip(broadcasts, Self.behaviours) {
                    #expect(peer.status == .exited(status), "\(name): \(peer.standardError)")
                    expectSentence(in: peer.standardError, saying: words)
                    #expect(!peer.standardError.contains("s3cret-k3y"))
                }
            }
        }
    }
}
