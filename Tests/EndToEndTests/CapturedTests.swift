import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What other programs on the display learn of a broadcast.
    struct CapturedTests {
        @Test func `captured reports whether the display is being broadcast, and waits for either state`() async throws
        {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let broadcast = studio.broadcast
                let before = try await broadcast.run(["captured"])
                #expect(
                    before.status == .exited(1) && before.output == "not captured\n" && before.errors == "", "\(before)"
                )
                #expect(try await broadcast.run(["captured", "--wait-end"]).status == .exited(0))
                let waiting = try broadcast.start(["captured", "--wait"])
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                #expect(try await waiting.waitForExit() == .exited(0))
                #expect(waiting.standardOutput == "captured\n")
                let during = try await broadcast.run(["captured"])
                #expect(during.status == .exited(0) && during.output == "captured\n", "\(during)")
                #expect(try await broadcast.run(["captured", "--wait"]).status == .exited(0))
                #expect(try await broadcast.run(["captured", "--wait", "--wait-end"]).status == .exited(64))
                let end = try broadcast.start(["captured", "--wait-end"])
                live.signal(SIGKILL)
                #expect(try await end.waitForExit() == .exited(0))
                #expect(try await broadcast.run(["captured"]).status == .exited(1))
            }
        }

        @Test func `captured says which display it cannot open`() async throws {
            try await withPeers { peers in
                let result = try await BroadcastCommand(in: peers).run(["captured", "--display", missingDisplay])
                #expect(result.status == .exited(66) && result.errors.contains(missingDisplay), "\(result)")
            }
        }

        @Test func `If one of two sessions ends, the display is still reported as captured`() async throws {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                let second = try await studio.startLive(["--to", studio.path("two.mp4")], session: "second")
                let owner = try await self.owner(in: studio)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await first.waitForExit() == .exited(0))
                try await waitUntil("the second session's window") {
                    let now = try await self.owner(in: studio)
                    return now != nil && now != owner
                }
                #expect(try await studio.broadcast.run(["stop", "--session", "second"]).status == .exited(0))
                #expect(try await second.waitForExit() == .exited(0))
                #expect(try await self.owner(in: studio) == nil)
            }
        }

        @Test func `A paused session still reports that it captures, and ends if its display disappears`() async throws
        {
            try await withStudio(["still"], width: 320, height: 240, hasSound: false) { studio in
                let first = try await studio.startLive(["--to", studio.path("one.mp4")])
                let second = try await studio.startLive(["--to", studio.path("two.mp4")], session: "second")
                #expect(try await studio.broadcast.run(["pause", "--session", "second"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await first.waitForExit() == .exited(0))
                try await second.wait(for: "the second session's word") {
                    try await studio.broadcast.run(["captured"]).status == .exited(0)
                }
                try await studio.screen.peer.killNow()
                #expect(try await second.waitForExit() == .exited(69), "\(second.standardError)")
            }
        }

        /// A number that is another one for each owner; nil where nobody owns the selection.
        private nonisolated(nonsending) func owner(in studio: Studio) async throws -> String? {
            let script = """
                import ctypes
                x = ctypes.CDLL("libX11.so.6")
                x.XOpenDisplay.restype = ctypes.c_void_p
                d = ctypes.c_void_p(x.XOpenDisplay(None))
                x.XGetSelectionOwner.restype = ctypes.c_ulong
                x.XInternAtom.restype = ctypes.c_ulong
                print(x.XGetSelectionOwner(d, ctypes.c_ulong(x.XInternAtom(d, b"_BROADCAST_CAPTURE_S0", 0))))
                """
            let answer = try await studio.peers.run(
                "owner", ["python3", "-c", script], environment: studio.screen.environment)
            let number = answer.trimmingCharacters(in: .newlines)
            return number == "0" ? nil : number
        }

        @Test func `A player stops its film while it would be broadcast`() async throws {
            try await withStudio(["still"], width: 640, height: 360, hasSound: false) { studio in
                let player = try studio.peers.start(
                    "is-captured", [try BuiltPrograms.path(of: "is-captured")], environment: studio.screen.environment)
                try await player.wait(for: "its film") { player.standardOutput == "playing\n" }
                let live = try await studio.startLive(["--to", studio.path("out.mp4")])
                try await player.wait(for: "a pause") { player.standardOutput == "playing\npaused\n" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await live.waitForExit() == .exited(0))
                try await player.wait(for: "its film again") { player.standardOutput == "playing\npaused\nplaying\n" }
            }
        }
    }
}
