import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What broadcast-scale(7) promises: its configurations, as they stand there.
    @Suite(.serialized)
    struct ScaleTests {
        @Test func `The page shows the configurations that are tested`() throws {
            let page = try String(contentsOfFile: ShippedExtensions.package + "/man/broadcast-scale.7", encoding: .utf8)
            for name in ["rtmp-origin", "rtmp-edge", "hls-origin", "hls-edge"] {
                // A backslash is written \e in a manual page.
                let text = try ShippedExtensions.configuration(name).replacingOccurrences(of: "\\", with: "\\e")
                #expect(page.contains(text), "\(name)")
            }
        }

        @Test func `One broadcast reaches viewers through an origin and edges, by RTMP and by HLS`() async throws {
            try await withStudio(["clock"], width: 640, height: 360) { studio in
                let peers = studio.peers
                let origin = try await Nginx.start(try ShippedExtensions.configuration("rtmp-origin"), in: peers)
                let edge = try await Nginx.start(
                    try ShippedExtensions.configuration("rtmp-edge"), replacing: ["origin.example.net:1935": "127.0.0.1:\(origin.port)"], in: peers)
                let root = try peers.makeFolder("www")
                try "ada:{PLAIN}sesame\n".write(toFile: root + "/htpasswd", atomically: true, encoding: .utf8)
                let store = try await Nginx.start(
                    try ShippedExtensions.configuration("hls-origin"),
                    replacing: ["/srv/www": root, "/etc/nginx/live.htpasswd": root + "/htpasswd"], in: peers)
                let cache = try await Nginx.start(
                    try ShippedExtensions.configuration("hls-edge"),
                    replacing: ["origin.example.net:80": "127.0.0.1:\(store.port)", "/var/cache/nginx/live": root + "/cache"], in: peers)

                try await ShippedExtensions.lay(in: peers)
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.crowd]
                    extension = "hls"
                    setup = { url = "http://127.0.0.1:\(store.port)/live/", user = "ada", segment = "1" }
                    """)
                _ = try await studio.broadcast.run(["setup", "crowd", "--secret-from-stdin", "password"], reading: "sesame\n")
                let peer = try await studio.startLive(
                    ["--to", "rtmp://127.0.0.1:\(origin.port)/live/talk", "--to", "crowd", "--keyframe-interval", "1"])
                try await expectViewers("rtmp://127.0.0.1:\(edge.port)/live/talk", count: 2, in: peers)
                try await peer.wait(for: "the playlist") { FileManager.default.fileExists(atPath: root + "/live/live.m3u8") }
                try await expectViewers("http://127.0.0.1:\(cache.port)/live/live.m3u8", count: 2, in: peers)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        /// Expects that each of several viewers sees the clock run.
        private nonisolated(nonsending) func expectViewers(_ url: String, count: Int, in peers: Peers) async throws {
            for _ in 0..<count {
                var clock = ClockTrack()
                try await FrameDecoder(url, size: (480, 270)).forEachFrame(in: peers) { frame in
                    clock.add(frame)
                    return clock.readings.count < 30
                }
                #expect(clock.isRising && clock.unreadable == 0 && clock.readings.count == 30, "\(url)")
            }
        }
    }
}
