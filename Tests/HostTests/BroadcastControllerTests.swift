import BroadcastKit
import Foundation
import TestSupport
import Testing

/// The library's interface, with pictures of the test's own.
@Suite(.serialized)
struct BroadcastControllerTests {
    private func controller(in folder: String, _ destinations: [BroadcastDestination]) -> BroadcastController {
        let pictures = PictureChannel(width: 64, height: 64)
        pictures.show(bgra: [UInt8](repeating: 128, count: 64 * 64 * 4))
        return BroadcastController(
            content: .pictures(pictures), sound: .none, destinations: destinations, environment: ["HOME": folder, "XDG_RUNTIME_DIR": folder])
    }

    @Test func `If one destination fails, the start returns and the others continue`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("kit")
            let controller = controller(in: folder, [.file("/nonexistent/a.mp4"), .file(folder + "/b.mp4")])
            try await controller.start()
            let results = await controller.stop()
            #expect(results.map(\.name) == ["a.mp4", "b.mp4"] && results.map { $0.failure == nil } == [false, true])
            #expect(FileManager.default.fileExists(atPath: folder + "/b.mp4"))
            var events: [BroadcastController.Event] = []
            for await event in controller.events { events.append(event) }
            #expect(events.contains(.started) && events.last == .stopped(results))
            #expect(events.contains { if case .destinationFailed("a.mp4", .cannotWrite) = $0 { true } else { false } })
        }
    }

    @Test func `If the only destination fails, the start throws and the broadcast is over`() async throws {
        try await withPeers { peers in
            let controller = controller(in: try peers.makeFolder("kit"), [.file("/nonexistent/a.mp4")])
            await #expect(throws: BroadcastError.cannotWrite(path: "/nonexistent/a.mp4", code: ENOENT)) { try await controller.start() }
            _ = await controller.stop()
            var last: BroadcastController.Event?
            for await event in controller.events { last = event }
            switch last {
            case .stopped, .failed: break
            default: Issue.record("\(String(describing: last))")
            }
        }
    }
}
