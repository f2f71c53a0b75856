import Foundation
import TestPatterns
import TestSupport
import Testing

extension FaultTests {
    /// Real servers that go away, or hang, and come back.
    struct OutageFaults {
        enum Outage: String, CaseIterable, CustomTestStringConvertible {
            case kill = "SIGKILL", reset = "RST", end = "FIN"
            var testDescription: String { rawValue }
        }

        @Test(arguments: Outage.allCases)
        func `A server that returns after five seconds gets the stream again, and the file has no gap`(outage: Outage)
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix -%s.flv;")
                let door = try await Door.open(to: server.port, in: studio.peers)
                let url = outage == .kill ? server.url(key: "key") : door.url(key: "key")
                let peer = try await studio.startLive(["--to", url, "--to", studio.path("file.mp4")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(3, of: peer)

                switch outage {
                case .kill: try await server.peer.killNow()
                case .reset: try await door.shut(.rst)
                case .end: try await door.shut(.fin)
                }
                try await peer.wait(for: "the outage") { try await studio.destination("rtmp")?.state == "reconnecting" }
                // The length of the fault.
                try await Task.sleep(for: .seconds(5))
                let back = ContinuousClock.now
                let again = outage == .kill ? try await server.startAgain(in: studio.peers) : server
                if outage != .kill { try await door.openAgain() }
                try await peer.wait(for: "the stream again") { try await studio.destination("rtmp")?.state == "live" }
                let recovery = ContinuousClock.now - back
                print("live again after \(outage.rawValue): \(recovery) after the server was back")
                #expect(recovery < .seconds(10))
                #expect(try await studio.destination("rtmp")?.reconnects == 1)
                try await peer.wait(for: "the publisher") { try await again.isPublishing(key: "key") }
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                try await expectTwoGoodRecordings(studio)
                try await studio.media("file.mp4").expectDecodable()
                try await studio.media("file.mp4").expectUnbrokenClock()
                try await studio.media("file.mp4").expectWholeSound()
            }
        }

        /// What nginx wrote: the second one begins with an IDR, and goes on after the first one.
        private nonisolated(nonsending) func expectTwoGoodRecordings(_ studio: Studio) async throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: studio.folder).filter {
                $0.hasSuffix(".flv")
            }.sorted()
            try #require(names.count == 2, "\(names)")
            let (first, second) = (studio.media(names[0]), studio.media(names[1]))
            let packets = try await FFProbe.packets(of: second.path, in: studio.peers)
            #expect(packets.first { $0.kind == "video" }?.isKeyframe == true)
            let times = packets.filter { $0.kind == "video" }.compactMap { $0.dts.flatMap { Double($0) } }
            #expect(times == times.sorted() && Set(times).count == times.count)
            try await second.expectUnbrokenClock()
            try await second.expectWholeSound()
            let before = try #require(try await first.clock().readings.last).milliseconds
            let after = try #require(try await second.clock().readings.first).milliseconds
            #expect(Int32(bitPattern: after &- before) > 4500, "\(before) ms, then \(after) ms")
        }

        @Test func `A load balancer that answers with an HTTP error for five seconds does not end the stream`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix -%s.flv;")
                let door = try await Door.open(to: server.port, in: studio.peers)
                let peer = try await studio.startLive(["--to", door.url(key: "key"), "--to", studio.path("file.mp4")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(3, of: peer)
                try await door.answer503()
                try await peer.wait(for: "the HTTP error") {
                    let destination = try await studio.destination("rtmp")
                    return destination?.state == "reconnecting"
                        && destination?.error?.message.contains("version 72") == true
                }
                // The length of the fault.
                try await Task.sleep(for: .seconds(5))
                try await door.openAgain()
                try await peer.wait(for: "the stream again") { try await studio.destination("rtmp")?.state == "live" }
                #expect(try await studio.destination("rtmp")?.reconnects == 1)
                try await peer.wait(for: "the publisher") { try await server.isPublishing(key: "key") }
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                try await expectTwoGoodRecordings(studio)
                try await studio.media("file.mp4").expectUnbrokenClock()
            }
        }

        @Test func `A server that hangs for five seconds loses pictures but no sound, and does not delay the end`()
            async throws
        {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                try await PaintedScreen.start(
                    ["clock", "--beep", "--window", "320x180+0+0"], on: studio.screen.display, pulse: studio.pulse,
                    in: studio.peers)
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix .flv;")
                let peer = try await studio.startLive([
                    "--to", server.url(key: "key"), "--to", studio.path("file.mp4"), "--bitrate", "8000",
                ])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(3, of: peer)
                let before = try #require(peer.memory())
                server.peer.signal(SIGSTOP)
                try await Task.sleep(for: .seconds(5))
                server.peer.signal(SIGCONT)
                let after = try #require(peer.memory())
                print(
                    "memory in a stall of 5 s: \(before.now >> 20) MB, then \(after.now >> 20) MB, \(after.peak >> 20) MB at most"
                )
                #expect(after.peak - before.peak < 24 << 20)
                let status = try #require(try await studio.destination("rtmp"))
                print("dropped in a stall of 5 s: \(status.dropped) pictures")
                // No more than the pictures of the stall and of two seconds after it.
                #expect(
                    status.state == "live" && (1...210).contains(status.dropped) && status.reconnects == 0, "\(status)")
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                server.peer.signal(SIGSTOP)
                try await Task.sleep(for: .seconds(1))
                let begin = ContinuousClock.now
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                let duration = ContinuousClock.now - begin
                print("stop while the server hangs: \(duration)")
                #expect(duration < .seconds(3))
                server.peer.signal(SIGCONT)
                try await server.peer.wait(for: "the stream's end") { try await !server.isPublishing(key: "key") }
                try await studio.media("key.flv").expectWholeSound()
                try await studio.media("file.mp4").expectDecodable()
                try await studio.media("file.mp4").expectWholeSound()
                for name in ["key.flv", "file.mp4"] {
                    let clock = try await ClockTrack.read(
                        FrameDecoder(studio.path(name), size: (640, 360)), with: .corner, in: studio.peers)
                    #expect(
                        clock.isRunning && clock.readings.count > 100 && clock.unreadable * 20 < clock.readings.count,
                        "\(clock.unreadable)")
                    let steps = zip(clock.readings, clock.readings.dropFirst()).map { $1.pts - $0.pts }
                    if name == "file.mp4" { #expect((steps.max() ?? 1) < 1) }
                }
            }
        }

        @Test func `A server that hangs for a minute is disconnected and retried, in bounded memory`() async throws {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                try await PaintedScreen.start(
                    ["clock", "--beep", "--window", "320x180+0+0"], on: studio.screen.display, pulse: studio.pulse,
                    in: studio.peers)
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive([
                    "--to", server.url(key: "key"), "--to", studio.path("file.mp4"), "--bitrate", "4000",
                ])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(3, of: peer)
                let before = try #require(peer.memory())
                server.peer.signal(SIGSTOP)
                let begin = ContinuousClock.now
                var states: [String] = []
                while ContinuousClock.now - begin < .seconds(60) {
                    let state = try await studio.destination("rtmp")?.state ?? "none"
                    if states.last != state { states.append(state) }
                    try await Task.sleep(for: .milliseconds(500))
                }
                let after = try #require(peer.memory())
                print(
                    "memory in a stall of 60 s: \(before.now >> 20) MB, then \(after.now >> 20) MB, \(after.peak >> 20) MB at most; \(states)"
                )
                #expect(after.peak - before.peak < 24 << 20)
                #expect(states.contains("reconnecting") && !states.contains("failed"))
                let stop = ContinuousClock.now
                _ = try await studio.broadcast.run(["stop"])
                #expect(try await peer.waitForExit() == .exited(69))
                print("stop while the server hangs: \(ContinuousClock.now - stop)")
                #expect(ContinuousClock.now - stop < .seconds(3))
                server.peer.signal(SIGCONT)
                try await studio.media("file.mp4").expectDecodable()
                try await studio.media("file.mp4").expectUnbrokenClock(gap: 1, with: .corner, unreadable: 0.05)
                try await studio.media("file.mp4").expectWholeSound()
            }
        }
    }
}

extension ClockReader {
    /// A clock in a window that takes the upper left quarter of the screen.
    static let corner = ClockReader(screen: PatternRectangle(x: 0, y: 0, width: 0.5, height: 0.5))
}
