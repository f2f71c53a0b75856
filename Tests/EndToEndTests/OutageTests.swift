import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Servers that go away and come back, refuse, or hang: the short ones of what `make test-faults` does at length.
    struct OutageTests {
        @Test(arguments: [Door.End.fin, .rst])
        func `A connection that the server ends is made again, from a keyframe on`(end: Door.End) async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix -%s.flv;")
                let door = try await Door.open(to: server.port, in: studio.peers)
                let peer = try await studio.startLive(["--to", door.url(key: "key"), "--to", studio.path("file.mp4")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(1, of: peer)
                try await door.shut(end)
                try await peer.wait(for: "the outage") { try await rtmp(studio)?.state == "reconnecting" }
                try await server.peer.wait(for: "the stream's end") { try await !server.isPublishing(key: "key") }
                try await door.openAgain()
                try await peer.wait(for: "the stream again") {
                    guard try await rtmp(studio)?.state == "live" else { return false }
                    return try await server.isPublishing(key: "key")
                }
                #expect(try await rtmp(studio)?.reconnects == 1)
                try await studio.broadcast.waitForMoreSeconds(2, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                let recordings = try FileManager.default.contentsOfDirectory(atPath: studio.folder).filter {
                    $0.hasSuffix(".flv")
                }.sorted()
                try #require(recordings.count == 2, "\(recordings)")
                let packets = try await FFProbe.packets(of: studio.path(recordings[1]), in: studio.peers)
                #expect(packets.first { $0.kind == "video" }?.isKeyframe == true)
                let clock = try await studio.media(recordings[1]).clock()
                #expect(clock.isRunning && clock.unreadable == 0 && clock.readings.count > 30)
                let file = try await studio.media("file.mp4").clock()
                #expect(zip(file.readings, file.readings.dropFirst()).allSatisfy { $1.pts - $0.pts < 0.3 })
            }
        }

        @Test func `A stop with a backlog succeeds, and the server gets the end of the stream`() async throws {
            // A picture that uses the whole bitrate, at the lowest QP, too.
            try await withStudio(["everything"], width: 1280, height: 720) { studio in
                let server = try await HostileServer.start("slow-reader", in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url, "--bitrate", "3000"])
                try await peer.wait(for: "a backlog") { try await rtmp(studio)?.queueMs ?? 0 > 900 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                _ = try await server.peer.waitForOutputLine(containing: "FCUnpublish")
                _ = try await server.peer.waitForOutputLine(containing: "deleteStream")
            }
        }

        /// Starts another publisher of the stream `key`. Returns it when the server accepts its stream.
        private func otherPublisher(of server: NginxRTMP, in studio: Studio) async throws -> Peer {
            let other = try studio.peers.start(
                "other-publisher",
                ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=10"]
                    + ["-c:v", "libx264", "-preset", "ultrafast", "-f", "flv", server.url(key: "key")])
            try await other.wait(for: "its stream") { try await server.isPublishing(key: "key") }
            return other
        }

        @Test func `A stream name that another publisher uses is retried until it is free`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let other = try await otherPublisher(of: server, in: studio)
                let peer = try studio.broadcast.start(["start", "--to", server.url(key: "key")])
                try await peer.wait(for: "the wait") { try await rtmp(studio)?.state == "reconnecting" }
                #expect(
                    try await rtmp(studio)?.error?.message.contains("publishing with this stream key already") == true)
                try await other.terminate()
                try await server.peer.wait(for: "the other's end") { try await !server.isPublishing(key: "key") }
                try await peer.wait(for: "our stream") {
                    guard try await rtmp(studio)?.state == "live" else { return false }
                    return try await server.isPublishing(key: "key")
                }
                var clock = ClockTrack()
                try await FrameDecoder(server.url(key: "key"), size: (320, 240)).forEachFrame(in: studio.peers) {
                    frame in
                    clock.add(frame)
                    return clock.readings.count < 15
                }
                #expect(clock.isRunning && clock.unreadable == 0)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test
        func `A destination that is added while its name is taken gives the error, and is live once the name is free`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let other = try await otherPublisher(of: server, in: studio)
                let peer = try await studio.startLive(["--to", studio.path("file.mp4")])
                let added = try await studio.broadcast.run(["add-destination", server.url(key: "key")])
                #expect(
                    added.status == .exited(69) && added.errors.contains("remove-destination rtmp"), "\(added.errors)")
                #expect(try await rtmp(studio)?.state == "reconnecting")
                try await other.terminate()
                try await peer.wait(for: "our stream") { try await rtmp(studio)?.state == "live" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Of three destinations one hangs and one refuses, and the third does not notice`() async throws {
            try await withStudio(["everything"], width: 640, height: 360) { studio in
                try await PaintedScreen.start(
                    ["clock", "--beep", "--window", "320x180+0+0"], on: studio.screen.display, pulse: studio.pulse,
                    in: studio.peers)
                let hanging = try await HostileServer.start("stall", in: studio.peers)
                let refusing = try await HostileServer.start("authentication", in: studio.peers)
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix .flv;")
                try studio.broadcast.writeConfiguration(
                    [("hanging", hanging.url), ("refusing", refusing.url), ("good", server.url(key: "good"))]
                        .map { "[destinations.\($0.0)]\nextension = \"rtmp\"\nurl = \"\($0.1)\"\n" }.joined())
                let peer = try studio.broadcast.start(
                    ["start", "--bitrate", "2000"] + ["good", "refusing", "hanging"].flatMap { ["--to", $0] })
                try await peer.wait(for: "the good one") { try await server.isPublishing(key: "good") }
                var targets: Set<Int> = []
                try await peer.wait(for: "8 s") {
                    let status = try #require(try await studio.status())
                    if let target = status.video?.targetKbps { targets.insert(target) }
                    return status.elapsed > 8
                }
                let states = try #require(try await studio.status()).destinations
                #expect(
                    states.map(\.name) == ["good", "refusing", "hanging"]
                        && states.map(\.state) == ["live", "failed", "live"], "\(states)")
                #expect(states[0].dropped == 0 && states[2].dropped > 0 && states[1].error?.code == 401, "\(states)")
                #expect(targets == [2000])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(77))
                #expect(try await peer.waitForExit() == .exited(77))
                let media = studio.media("good.flv")
                let corner = ClockReader(screen: .init(x: 0, y: 0, width: 0.5, height: 0.5))
                let clock = try await ClockTrack.read(
                    FrameDecoder(media.path, size: (640, 360)), with: corner, in: studio.peers)
                #expect(clock.isRunning && clock.readings.count > 150, "\(clock.readings.count)")
                #expect(clock.unreadable * 20 < clock.readings.count, "\(clock.unreadable)")
                #expect(zip(clock.readings, clock.readings.dropFirst()).allSatisfy { $1.pts - $0.pts < 0.3 })
                let sound = try await AudioDecoder.decode(media.path, in: studio.peers)
                #expect(sound.largestGap < 0.005)
            }
        }

        private nonisolated(nonsending) func rtmp(_ studio: Studio) async throws -> SessionStatus.Destination? {
            try await studio.status()?.destinations.first { $0.name == "rtmp" }
        }
    }
}
