import TestSupport
import Testing

/// The RTMP servers that other tests push to, with ffmpeg in the place of `broadcast`.
struct RTMPPeerTests {
    private static let publisher =
        [
            "ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30", "-f", "lavfi",
            "-i", "sine",
        ]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-g", "30", "-c:a", "aac", "-f", "flv"]

    @Test func `nginx passes a stream on to a player`() async throws {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            #expect(try await !server.isPublishing(key: "key"))
            let publisher = try peers.start("publisher", Self.publisher + [server.url(key: "key")])
            try await publisher.wait(for: "the stream") { try await server.isPublishing(key: "key") }
            var count = 0
            try await FrameDecoder(server.url(key: "key")).forEachFrame(in: peers) { frame in
                #expect(frame.width == 320 && frame.height == 180)
                count += 1
                return count < 10
            }
            #expect(count == 10)
            try await publisher.terminate()
            try await waitUntil("the stream's end") { try await !server.isPublishing(key: "key") }
            #expect(server.log.contains("publish"))
        }
    }

    @Test func `ffmpeg listens, and writes what one publisher sends`() async throws {
        try await withPeers { peers in
            let listener = try await FFmpegListener.start(in: peers)
            try await peers.run(
                "publisher", Self.publisher.map { $0 == "sine" ? "sine=d=2" : $0 } + ["-shortest", listener.url])
            try await listener.peer.waitForExit()
            let probe = try await FFProbe.probe(listener.output, in: peers)
            #expect(probe.video?.codec == "h264")
            #expect(probe.audio?.codec == "aac")
            #expect((probe.video?.frameCount).flatMap { Int($0) } ?? 0 >= 50)
            let packets = try await FFProbe.packets(of: listener.output, in: peers)
            #expect(packets.first { $0.kind == "video" }?.isKeyframe == true)
        }
    }
}
