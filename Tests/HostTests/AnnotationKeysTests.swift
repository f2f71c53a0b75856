import Capture
import Foundation
import Host
import Media
import SessionFakes
import TestSupport
import Testing

/// What extensions read in `annotate`: one set of keys in the manual, in check-extension and in a broadcast.
struct AnnotationKeysTests {
    /// The keys that the manual lists for the focused application.
    private func documentedKeys() throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manual = try String(contentsOf: root.appendingPathComponent("man/broadcast-extension.7"), encoding: .utf8)
        let start = try #require(manual.firstRange(of: ".It Li annotate"))
        let end = try #require(manual[start.upperBound...].firstRange(of: "broadcast annotate"))
        let words = manual[start.upperBound..<end.lowerBound].split(whereSeparator: \.isWhitespace)
        return Set(words.filter { $0.hasPrefix("application") }.map(String.init)).subtracting(["application,"])
    }

    @Test func `check-extension sends the keys of the manual`() throws {
        let canned = try CannedBroadcast(seconds: 4, isRaw: false, hasVideo: true, hasSound: false, soundCodec: .aac)
        let annotations = canned.elements.compactMap { if case .annotated(let values) = $0 { values } else { nil } }
        #expect(annotations.map { Set($0.keys) } == [try documentedKeys()])
    }

    @Test func `A broadcast sends keys of the manual`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            rig.stage.give(ApplicationInformation(id: "Gedit", title: "A text"))
            try await waitUntil("the annotation") {
                rig.viewer.calls.contains { if case .annotated = $0 { true } else { false } }
            }
            rig.host.requestStop()
            _ = try await rig.host.ended()
            let keys = rig.viewer.calls.compactMap {
                if case .annotated(let values) = $0 { Set(values.keys) } else { nil }
            }
            // The name is only known if there is a desktop entry for it.
            #expect(
                keys.allSatisfy { $0.contains("application") && $0.isSubset(of: (try? documentedKeys()) ?? []) },
                "\(keys)")
        }
    }
}
