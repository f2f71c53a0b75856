import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What broadcast-scale(7) promises: its configurations, as they stand there.
    struct ScaleTests {
        @Test func `The page shows the configurations that are tested`() throws {
            let page = try String(contentsOfFile: ShippedExtensions.package + "/man/broadcast-scale.7", encoding: .utf8)
            for name in ["rtmp-origin", "rtmp-edge", "hls-origin", "hls-edge"] {
                // A backslash is written \e in a manual page.
                let text = try ShippedExtensions.configuration(name).replacingOccurrences(of: "\\", with: "\\e")
                #expect(page.contains(text), "\(name)")
            }
        }

        @Test func `The shipped extensions are found beside the program, and their libraries are theirs alone`()
            async throws
        {
            try await withPeers { peers in
                try await ShippedExtensions.lay(in: peers)
                let broadcast = try BroadcastCommand(in: peers)
                let list = try await broadcast.run(["list-extensions"])
                #expect(list.output.contains("HLS segments and playlist") && list.output.contains("MPEG-TS over SRT"))
                #expect(!list.output.contains("cannot be used"))
                let libraries = try await peers.run("ldd", ["ldd", broadcast.binary])
                #expect(libraries.contains("libssl"))
                #expect(!libraries.contains("libsrt.so") && !libraries.contains("libcurl"))
            }
        }

        @Test func `One broadcast reaches viewers through an origin and edges, by RTMP and by HLS`() async throws {
            try await withStudio(["clock"], width: 640, height: 360) { studio in
                let peers = studio.peers
                let origin = try await Nginx.start(try ShippedExtensions.configuration("rtmp-origin"), in: peers)
                let edge = try await Nginx.start(
                    try ShippedExtensions.configuration("rtmp-edge"),
                    replacing: ["origin.example.net:1935": "127.0.0.1:\(origin.port)"], in: peers)
                let root = try peers.makeFolder("www")
                let (store, cache) = try await originAndEdge(root: root, in: peers)

                try await ShippedExtensions.lay(in: peers)
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.crowd]
                    extension = "hls"
                    setup = { url = "http://127.0.0.1:\(store.port)/live/", user = "ada", segment = "1" }
                    """)
                _ = try await studio.broadcast.run(
                    ["setup", "crowd", "--plain-file", "--secret-from-stdin", "password"], reading: "sesame\n")
                let peer = try await studio.startLive(
                    ["--to", "rtmp://127.0.0.1:\(origin.port)/live/talk", "--to", "crowd", "--keyframe-interval", "1"])
                try await expectViewers("rtmp://127.0.0.1:\(edge.port)/live/talk", count: 2, in: peers)
                try await peer.wait(for: "the playlist") {
                    FileManager.default.fileExists(atPath: root + "/live/live.m3u8")
                }
                try await expectViewers("http://127.0.0.1:\(cache.port)/live/live.m3u8", count: 2, in: peers)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        /// nginx hands `dav_methods` on to a location within another, and `limit_except` it does not.
        @Test
        func
            `Without the password no client can write or delete a segment or a playlist, at the origin or through the edge`()
            async throws
        {
            try await withPeers { peers in
                let root = try peers.makeFolder("www")
                let (store, cache) = try await originAndEdge(root: root, in: peers)
                let names = ["live-000000.ts", "live-000000.mp4", "live.m3u8"]
                for name in names {
                    let url = "http://127.0.0.1:\(store.port)/live/\(name)"
                    #expect(
                        try await request("PUT", url, options: ["--user", "ada:sesame", "--data", "mine"], in: peers)
                            .status == "201", "\(name)")
                    #expect(
                        try await request("PUT", url, options: ["--user", "ada:guessed", "--data", "x"], in: peers)
                            .status == "401", "\(name)")
                    for method in ["PUT", "DELETE", "MKCOL", "MOVE"] {
                        #expect(
                            try await request(method, url, options: ["--data", "x"], in: peers).status == "401",
                            "\(method) \(name)")
                        let there = "http://127.0.0.1:\(cache.port)/live/\(name)"
                        for options in [["--data", "x"], ["--user", "ada:sesame", "--data", "x"]] {
                            #expect(
                                try await request(method, there, options: options, in: peers).status == "403",
                                "\(method) \(name)")
                        }
                    }
                }
                for name in names {
                    #expect(try String(contentsOfFile: "\(root)/live/\(name)", encoding: .utf8) == "mine")
                    // A playlist changes each second, a segment never.
                    let lifetime = name.hasSuffix(".m3u8") ? "max-age=1" : "max-age=86400, immutable"
                    for port in [store.port, cache.port] {
                        let answer = try await request("GET", "http://127.0.0.1:\(port)/live/\(name)", in: peers)
                        #expect(answer.status == "200" && answer.cacheControl == lifetime, "\(name)")
                    }
                }
            }
        }

        /// The HLS origin, whose user is ada with the password sesame, and an edge before it.
        private nonisolated(nonsending) func originAndEdge(root: String, in peers: Peers) async throws -> (
            origin: Nginx, edge: Nginx
        ) {
            try "ada:{PLAIN}sesame\n".write(toFile: root + "/htpasswd", atomically: true, encoding: .utf8)
            let origin = try await Nginx.start(
                try ShippedExtensions.configuration("hls-origin"),
                replacing: ["/srv/www": root, "/etc/nginx/live.htpasswd": root + "/htpasswd"], in: peers)
            let edge = try await Nginx.start(
                try ShippedExtensions.configuration("hls-edge"),
                replacing: [
                    "origin.example.net:80": "127.0.0.1:\(origin.port)", "/var/cache/nginx/live": root + "/cache",
                ], in: peers)
            return (origin, edge)
        }

        /// What a server answers to a request: its status, and how long it says that a cache may keep what came.
        private nonisolated(nonsending) func request(
            _ method: String, _ url: String, options: [String] = [], in peers: Peers
        ) async throws -> (status: String, cacheControl: String) {
            let format = "%{http_code}\n%header{cache-control}"
            let output = try await peers.run(
                "curl",
                ["curl", "--silent", "--output", "/dev/null", "--write-out", format, "--request", method] + options + [
                    url
                ])
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
            return (String(lines.first ?? ""), String(lines.dropFirst().first ?? ""))
        }

        /// Expects that each of several viewers sees the clock run.
        private nonisolated(nonsending) func expectViewers(_ url: String, count: Int, in peers: Peers) async throws {
            for _ in 0..<count {
                var clock = ClockTrack()
                try await FrameDecoder(url, size: (480, 270)).forEachFrame(in: peers) { frame in
                    clock.add(frame)
                    return clock.readings.count < 30
                }
                #expect(clock.isRunning && clock.unreadable == 0 && clock.readings.count == 30, "\(url)")
            }
        }
    }
}
