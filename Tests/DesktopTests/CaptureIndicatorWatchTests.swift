import Concurrency
import Desktop
import Foundation
import TestSupport
import Testing

/// How another program learns that the desktop is captured, with a real session bus.
struct CaptureIndicatorWatchTests {
    /// Waits on a thread of its own, because the wait blocks.
    private func wait(untilCaptured wanted: Bool, at address: String) throws -> Once<Bool> {
        // The subscription must exist before the state changes.
        nonisolated(unsafe) let watch = try #require(CaptureIndicatorWatch(address: address))
        let result = Once<Bool>()
        _ = NamedThread.detach(name: "watch") { result.set(watch.wait(untilCaptured: wanted)) }
        return result
    }

    @Test func `A watch waits for the begin and for the end of a capture`() async throws {
        try await withPeers { peers in
            let desktop = try await FakeDesktop.start(in: peers)
            let address = try #require(desktop.environment["DBUS_SESSION_BUS_ADDRESS"])
            let watch = try #require(CaptureIndicatorWatch(address: address))
            #expect(!watch.isCaptured)
            let begin = try wait(untilCaptured: true, at: address)
            let request = DesktopLink.Request(address: address, recordPath: try peers.makeFolder("state") + "/record") {
                _ in nil
            }
            let link = DesktopLink(request, lockChanged: { _ in }, warn: { _ in })
            _ = await link.begin()
            #expect(await begin.value(within: .seconds(60)) == true)
            let end = try wait(untilCaptured: false, at: address)
            await link.end()
            #expect(await end.value(within: .seconds(60)) == true)
            #expect(!watch.isCaptured)
        }
    }

    @Test func `Without a bus there is no watch, and a bus that ends ends the wait`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("bus")
            let address = "unix:path=\(folder)/socket"
            #expect(CaptureIndicatorWatch(address: address) == nil)
            let bus = try peers.start(
                "dbus-daemon", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=\(address)"],
                folder: folder)
            try await bus.wait(for: "its socket") { listens(at: folder + "/socket") }
            let end = try wait(untilCaptured: true, at: address)
            _ = try await bus.killNow()
            #expect(await end.value(within: .seconds(60)) == false)
        }
    }
}
