import Foundation
import TestSupport
import Testing

extension FaultTests {
    /// A screen on which nothing happens.
    struct StillScreenFaults {
        @Test
        func
            `After a minute without a change the connection is open, and a viewer who joins late gets the picture at once`()
            async throws
        {
            try await withStudio(["clock"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url(key: "key")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(2, of: peer)
                studio.painter.signal(SIGSTOP)
                for seconds in [22.0, 42, 62] { try await studio.waitUntilElapsed(seconds, of: peer) }
                let status = try #require(try await studio.destination("rtmp"))
                #expect(status.state == "live" && status.reconnects == 0 && status.dropped == 0)
                #expect(try await server.isPublishing(key: "key"))

                let joined = MonotonicTime.now()
                var clock = ClockTrack()
                try await FrameDecoder(
                    server.url(key: "key"), size: (480, 270),
                    inputOptions: ["-fflags", "nobuffer", "-flags", "low_delay"]
                )
                .forEachFrame(in: studio.peers) { frame in
                    clock.add(frame)
                    return clock.readings.count + clock.unreadable < 30
                }
                #expect(clock.unreadable == 0 && Set(clock.readings.map(\.milliseconds)).count == 1)
                let first = try #require(clock.readings.first)
                let seconds = Double(first.received - joined) / 1e9
                print("a late viewer's first picture came after \(seconds) s")
                // An IDR comes every 2 s; the rest is a player's start.
                #expect(seconds < 5)
                let age = Int32(
                    bitPattern: UInt32(truncatingIfNeeded: first.received / 1_000_000) &- first.milliseconds)
                #expect(age > 59_000)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }
    }
}
