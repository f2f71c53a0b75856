import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Live on real RTMP servers: how late it is there, and whether all of it arrives.
    struct RTMPTimingTests {
        private static let lowDelay = ["-fflags", "nobuffer", "-flags", "low_delay"]

        @Test func `nginx gets a live stream that players read, and its end`() async throws {
            try await withStudio(["clock", "--beep"], width: 1920, height: 1080) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url(key: "key")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await expectReadableLive(server, studio)
                try await expectShortLatency(server, studio)
                try await expectQuickStop(peer, server, studio)
            }
        }

        private nonisolated(nonsending) func expectReadableLive(_ server: NginxRTMP, _ studio: Studio) async throws {
            let answer = try await studio.peers.run(
                "ffprobe",
                ["ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", server.url(key: "key")])
            let probe = try JSONDecoder().decode(FFProbe.self, from: Data(answer.utf8))
            #expect(probe.video?.codec == "h264" && probe.video?.profile == "High")
            #expect(probe.video?.width == 1920 && probe.video?.height == 1080)
            #expect(probe.audio?.codec == "aac" && probe.audio?.sampleRate == "48000" && probe.audio?.channels == 2)
        }

        /// Once the player has caught up: its first frames waited for it to start.
        private nonisolated(nonsending) func expectShortLatency(_ server: NginxRTMP, _ studio: Studio) async throws {
            var clock = ClockTrack()
            try await FrameDecoder(server.url(key: "key"), size: (480, 270), inputOptions: Self.lowDelay).forEachFrame(
                in: studio.peers
            ) { frame in
                clock.add(frame)
                return clock.readings.count < 180
            }
            let delays = clock.readings.dropFirst(90)
                .map { Int32(bitPattern: UInt32(truncatingIfNeeded: $0.received / 1_000_000) &- $0.milliseconds) }
                .sorted()
            print(
                "screen to player over nginx, ms: median \(delays[delays.count / 2]), p95 \(delays[delays.count * 95 / 100])"
            )
            // Four times the program's own budget: nginx and ffmpeg take their share, on a machine that others use.
            #expect(delays[delays.count / 2] < 120 && delays[delays.count * 95 / 100] < 180, "\(delays)")
            #expect(clock.isSmooth && clock.unreadable == 0)
        }

        private nonisolated(nonsending) func expectQuickStop(_ peer: Peer, _ server: NginxRTMP, _ studio: Studio)
            async throws
        {
            let start = ContinuousClock.now
            let stop = try await studio.broadcast.run(["stop"])
            let duration = ContinuousClock.now - start
            print("broadcast stop took \(duration)")
            #expect(stop.status == .exited(0) && stop.output.contains("rtmp://127.0.0.1:\(server.port)/live"))
            #expect(duration < .seconds(1))
            #expect(try await peer.waitForExit() == .exited(0))
            try await server.peer.wait(for: "deleteStream") { server.log.contains("deleteStream") }
            #expect(try await !server.isPublishing(key: "key"))
        }

        @Test func `ffmpeg as the server gets every frame`() async throws {
            try await withStudio(["clock", "--beep"]) { studio in
                let listener = try await FFmpegListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", listener.url])
                try await studio.waitUntilElapsed(5, of: peer)
                let status = try await studio.broadcast.stop(peer)
                try await listener.peer.waitForExit()
                let media = MediaFile(path: listener.output, peers: studio.peers)
                try await media.expectDecodable()
                let clock = try await media.clock()
                #expect(clock.unreadable == 0 && clock.isSmooth)
                let times = clock.readings.map(\.pts)
                let seconds = try #require(times.last) - (try #require(times.first))
                #expect(seconds > 4)
                let video = try #require(status.video)
                #expect(status.destinations.map(\.dropped) == [0])
                // The server joins at a key frame of the first second.
                #expect(
                    (0...30).contains(video.encoded + video.repeated - times.count), "\(times.count) frames, \(video)")
                #expect(Double(times.count) >= seconds * 30 - 3, "\(times.count) frames in \(seconds) s")
                let delays = clock.soundDelays(
                    BeepFinder.beeps(in: try await AudioDecoder.decode(media.path, in: studio.peers)))
                #expect(delays.count >= 3)
                #expect(delays.areInTime(within: 0.04), "\(delays)")
            }
        }
    }

    /// Several destinations, and servers that go away.
    struct RTMPBroadcastTests {
        @Test func `Two destinations share one encode`() async throws {
            try await withStudio(["typing"]) { studio in
                let listener = try await FFmpegListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", studio.path("out.mp4"), "--to", listener.url])
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                let answer = try await studio.broadcast.run(["stop", "--json"])
                #expect(try await peer.waitForExit() == .exited(0))
                try await listener.peer.waitForExit()
                let session = try #require(try StatusAnswer(json: answer.output).sessions.first)
                #expect(session.destinations.map(\.dropped) == [0, 0])

                let file = try await pictureSizes(studio.path("out.mp4"), in: studio.peers)
                let received = try await pictureSizes(listener.output, in: studio.peers)
                let video = try #require(session.video)
                #expect(video.encoded + video.repeated == file.count)
                // The first picture of the server is a keyframe, and each later one is the same as in the file.
                // Pictures that have not been sent at the end may be discarded.
                #expect(received.count > 30)
                #expect(file.firstRange(of: received) != nil)
            }
        }

        @Test(arguments: [true, false])
        func `A broadcast without sound has a silent AAC track on a server, and none in a file`(isScreen: Bool)
            async throws
        {
            try await withStudio(["still"], width: 640, height: 360) { studio in
                let listener = try await FFmpegListener.start(in: studio.peers)
                let (pictures, file) = (studio.path("own.y4m"), studio.path("out.mp4"))
                if isScreen {
                    let peer = try await studio.startLive(["--no-app-audio", "--to", listener.url, "--to", file])
                    try await studio.waitUntilElapsed(3, of: peer)
                    _ = try await studio.broadcast.stop(peer)
                } else {
                    try await studio.peers.run(
                        "ffmpeg",
                        [
                            "ffmpeg", "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                            "testsrc=size=320x240:rate=30:duration=4", "-pix_fmt",
                            "yuv420p", pictures,
                        ])
                    let result = try await studio.broadcast.run([
                        "start", "--y4m", pictures, "--to", listener.url, "--to", file,
                    ])
                    #expect(result.status == .exited(0), "\(result.errors)")
                }
                try await listener.peer.waitForExit()
                let received = MediaFile(path: listener.output, peers: studio.peers)
                try await received.expectDecodable()
                let probe = try await FFProbe.probe(listener.output, in: studio.peers)
                #expect(probe.video != nil && probe.audio?.codec == "aac")
                let sound = try await AudioDecoder.decode(listener.output, in: studio.peers)
                #expect(sound.samples.count > sound.rate && sound.samples.allSatisfy { abs($0) < 0.001 })
                #expect(try await FFProbe.probe(file, in: studio.peers).audio == nil)
            }
        }

        /// The bytes of each coded picture: two encodes would differ in some.
        private nonisolated(nonsending) func pictureSizes(_ path: String, in peers: Peers) async throws -> [String] {
            try await FFProbe.packets(of: path, in: peers).filter { $0.kind == "video" }.map(\.size)
        }

        @Test func `A server that does not come back is retried until the end, and the file has no gap`() async throws {
            try await withStudio { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url(key: "key"), "--to", studio.path("out.mp4")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(1, of: peer)
                try await server.peer.killNow()
                _ = try await peer.waitForErrorLine(containing: "Next try in")
                try await studio.broadcast.waitForMoreSeconds(1, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(69))
                #expect(try await peer.waitForExit() == .exited(69))
                expectSentence(in: peer.standardError, saying: ["server"])
                try studio.media("out.mp4").expectOrdinaryMP4()
                try await studio.media("out.mp4").expectDecodable()
            }
        }
    }
}
