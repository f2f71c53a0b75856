import Foundation
import TestPatterns
import TestSupport
import Testing

extension FaultTests {
    /// Lines that lose packets, that are long, and that get narrow: real TCP between two network namespaces.
    @Suite(.enabled("network namespaces and /dev/net/tun can be had here: it takes root") { await Link.isPossible() })
    struct LineFaults {
        @Test(arguments: ["loss 5", "delay 300"])
        func `On a bad line that is wide enough nothing of the sound is lost`(fault: String) async throws {
            try await onAir { studio, link, peer in
                try await link.set(fault)
                let begin = try #require(try await studio.status()).elapsed
                var targets: [Int] = []
                try await peer.wait(for: "12 s of it") {
                    let status = try #require(try await studio.status())
                    if let target = status.video?.targetKbps, targets.last != target { targets.append(target) }
                    return status.elapsed > begin + 12
                }
                try await link.set(fault.hasPrefix("loss") ? "loss 0" : "delay 0")
                let recovery = try await waitForWholeBitrate(studio, peer)
                print("\(fault): target_kbps \(targets), whole again \(recovery) after its end")
                #expect(targets.allSatisfy { $0 >= Self.bitrate / 2 }, "\(targets)")
            } expecting: {
                #expect($0 < 0.3)
            }
        }

        @Test func `The bitrate follows the bandwidth of the line, down and up`() async throws {
            try await onAir { studio, link, peer in
                // These pictures need about 1300 kbit/s, and the sound 160. The recording shares the picture, so the
                // bitrate falls to half of 2000 at most.
                try await link.set("rate 1200")
                let begin = ContinuousClock.now
                var targets: [Int] = []
                try await peer.wait(for: "a lower bitrate") {
                    let target = try await studio.status()?.video?.targetKbps ?? 0
                    if targets.last != target { targets.append(target) }
                    return target <= 1400
                }
                print("line of 1200 kbit/s: target_kbps \(targets) in \(ContinuousClock.now - begin)")
                let elapsed = try #require(try await studio.status()).elapsed
                try await studio.waitUntilElapsed(elapsed + 10, of: peer)
                let dropped = try #require(try await studio.destination("rtmp")).dropped
                try await link.set("rate 0")
                print("whole again after \(try await waitForWholeBitrate(studio, peer)); \(dropped) pictures dropped")
            }
        }

        @Test
        func `Over SRT the bitrate follows the bandwidth of the line, and picture and sound have no gap after it`()
            async throws
        {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                let (link, far, peer) = try await startOverSRT(studio, latency: 500, bitrate: Self.bitrate)
                try await studio.waitUntilElapsed(3, of: peer)
                try await link.set("rate 900")
                let begin = try #require(try await studio.status()).elapsed
                try await peer.wait(for: "a lower bitrate") {
                    (try await studio.status()?.video?.targetKbps ?? Self.bitrate) <= 1000
                }
                try await studio.waitUntilElapsed(begin + 12, of: peer)
                try await link.set("rate 0")
                print("SRT: whole again after \(try await waitForWholeBitrate(studio, peer))")
                let whole = try #require(try await studio.status()).elapsed
                try await studio.waitUntilElapsed(whole + 5, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                try await far.waitForExit()
                let media = studio.media("far.ts")
                let packets = try await FFProbe.packets(of: media.path, in: media.peers)
                for (kind, largest) in [("audio", 0.03), ("video", 0.3)] {
                    let times = packets.filter { $0.kind == kind }.compactMap { $0.pts.flatMap { Double($0) } }.sorted()
                    let end = try #require(times.last)
                    let steps = zip(times, times.dropFirst()).map { $1 - $0 }
                    print("SRT: the largest step of \(kind) \(steps.max() ?? 0) s")
                    #expect(end > whole, "\(kind) ends after \(end) s of \(whole)")
                    let last = zip(times, times.dropFirst()).filter { $0.0 > end - 4 }.map { $1 - $0 }
                    #expect(
                        last.count > 50 && (last.max() ?? 1) < largest, "\(kind) has a step of \(last.max() ?? 0) s")
                }
            }
        }

        @Test
        func `Over SRT, a line that is narrower than the broadcast from its start loses no pictures and little sound`()
            async throws
        {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                let (_, far, peer) = try await startOverSRT(studio, latency: 120, bitrate: 2500, line: "rate 1500")
                try await studio.waitUntilElapsed(30, of: peer)
                let target = try await studio.status()?.video?.targetKbps ?? 0
                let told = try #require(try await studio.destination("srt")).status ?? ""
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await far.waitForExit()
                let media = studio.media("far.ts")
                let packets = try await FFProbe.packets(of: media.path, in: media.peers)
                var holes: [String: [Double]] = [:]
                for (kind, largest) in [("audio", 0.03), ("video", 0.5)] {
                    let times = packets.filter { $0.kind == kind }.compactMap { $0.pts.flatMap { Double($0) } }.sorted()
                    // The first seconds show what the line takes.
                    holes[kind] = zip(times, times.dropFirst()).filter { $0.0 > (times.first ?? 0) + 5 }.map { $1 - $0 }
                        .filter { $0 > largest }
                }
                let pictures = packets.count { $0.kind == "video" }
                print(
                    "SRT on 1500 kbit/s: \(pictures) pictures, target \(target) kbit/s, holes \(holes), status: \(told)"
                )
                #expect(target < 2500 && told.contains("kbit/s"), "\(told)")
                #expect(holes["video"]?.isEmpty == true, "\(holes)")
                // With a latency of 120 ms, packets are lost in the moments in which the bitrate tries more.
                let lostSound = (holes["audio"] ?? []).reduce(0) { $0 + $1 - 1024.0 / 48_000 }
                #expect(lostSound < 1, "\(lostSound) s of the sound are lost: \(holes)")
            }
        }

        private static let bitrate = 2000

        /// Starts a broadcast over SRT that the far host writes into `far.ts`.
        ///
        /// - Parameters:
        ///   - latency: of the sender and the receiver, in milliseconds.
        ///   - bitrate: kbit/s.
        ///   - fault: the fault of the line from its start, if it has one.
        private nonisolated(nonsending) func startOverSRT(
            _ studio: Studio, latency: Int, bitrate: Int, line fault: String? = nil
        ) async throws -> (link: Link, far: Peer, peer: Peer) {
            try await PaintedScreen.start(
                ["clock", "--beep", "--window", "320x180+0+0"], on: studio.screen.display, pulse: studio.pulse,
                in: studio.peers)
            try await studio.installExtension("srt")
            let link = try await Link.open(in: studio.peers)
            if let fault { try await link.set(fault) }
            // FFmpeg's latency is in microseconds.
            let url = "srt://\(Link.farAddress):9000?mode=listener&latency=\(latency * 1000)"
            let far = try studio.peers.start(
                "far-srt",
                link.far(["ffmpeg", "-nostdin", "-v", "error", "-i", url, "-c", "copy", "-y", studio.path("far.ts")]))
            let peer = try studio.peers.start(
                "broadcast",
                link.near(
                    [
                        studio.broadcast.binary, "start", "--to", "srt://\(Link.farAddress):9000?latency=\(latency)",
                        "--bitrate", "\(bitrate)",
                    ]),
                environment: studio.broadcast.environment)
            _ = try await peer.waitForErrorLine(containing: "session default: live")
            return (link, far, peer)
        }

        /// How long it takes until the bitrate that was asked for is back: 30 s at most.
        private nonisolated(nonsending) func waitForWholeBitrate(_ studio: Studio, _ peer: Peer) async throws
            -> Duration
        {
            let begin = ContinuousClock.now
            try await peer.wait(for: "the whole bitrate", deadline: .seconds(60)) {
                try await studio.status()?.video?.targetKbps == Self.bitrate
            }
            #expect(ContinuousClock.now - begin < .seconds(30))
            return ContinuousClock.now - begin
        }

        /// Broadcasts 2000 kbit/s from one host to another while `body` plays with the line, and looks at what came
        /// through. `expecting` checks the longest time without a picture at the far end, in seconds.
        private nonisolated(nonsending) func onAir(
            _ body: (Studio, Link, Peer) async throws -> Void, expecting: (Double) -> Void = { _ in }
        ) async throws {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                try await PaintedScreen.start(
                    ["clock", "--beep", "--window", "320x180+0+0"], on: studio.screen.display, pulse: studio.pulse,
                    in: studio.peers)
                let link = try await Link.open(in: studio.peers)
                let listener = try await link.listen(writing: studio.path("far.flv"), in: studio.peers)
                let arguments = [
                    "start", "--to", listener.url, "--to", studio.path("near.mp4"), "--bitrate", "\(Self.bitrate)",
                ]
                let peer = try studio.peers.start(
                    "broadcast", link.near([studio.broadcast.binary] + arguments),
                    environment: studio.broadcast.environment)
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                try await studio.waitUntilElapsed(3, of: peer)
                #expect(try await studio.status()?.video?.targetKbps == Self.bitrate)
                try await body(studio, link, peer)
                let elapsed = try #require(try await studio.status()).elapsed
                #expect(try await studio.destination("rtmp")?.reconnects == 0)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                try await listener.peer.waitForExit()
                // The file beside it does not notice the line.
                #expect(try await expectGood(studio.media("near.mp4"), seconds: elapsed) < 1)
                expecting(try await expectGood(studio.media("far.flv"), seconds: elapsed))
            }
        }

        /// Expects sound without a hole to the end, and a clock that runs. Gives the longest time without a picture, in
        /// seconds.
        private nonisolated(nonsending) func expectGood(_ media: MediaFile, seconds: Double) async throws -> Double {
            try await media.expectWholeSound()
            let sound = try await AudioDecoder.decode(media.path, in: media.peers)
            #expect(Double(sound.samples.count) / 48_000 > seconds - 1)
            let clock = try await ClockTrack.read(
                FrameDecoder(media.path, size: (640, 360)), with: .corner, in: media.peers)
            #expect(
                clock.isRunning && clock.unreadable * 20 < clock.readings.count,
                "\(clock.unreadable) of \(clock.readings.count) unreadable")
            let last = try #require(clock.readings.last).pts - (try #require(clock.readings.first)).pts
            #expect(last > seconds - 1.5)
            let steps = zip(clock.readings, clock.readings.dropFirst()).map { $1.pts - $0.pts }
            print(
                "\(media.path.split(separator: "/").last ?? ""): the longest time without a picture \(steps.max() ?? 0) s"
            )
            return steps.max() ?? .infinity
        }
    }
}
