import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Segments in a folder and on a real web server.
    struct HLSBroadcastTests {
        private static let password = "canary-7Q2x"

        @Test func `Uploads go through a proxy, and an interface that HLS cannot use is refused`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let root = try studio.peers.makeFolder("www")
                let server = try await Self.origin(root: root, in: studio.peers)
                try await Self.setUp(server, in: studio)
                let port = try freePort()
                let proxy = try studio.peers.start("proxy", FaultProgram.command("proxy.py", "\(port)"))
                try await proxy.wait(for: "its port") { isBound(port) }
                let peer = try await studio.startLive([
                    "--to", "crowd", "--keyframe-interval", "1", "--proxy", "socks5://127.0.0.1:\(port)",
                ])
                _ = try await proxy.waitForOutputLine(containing: "socks 127.0.0.1 \(server.port)")
                try await peer.wait(for: "the playlist") {
                    FileManager.default.fileExists(atPath: root + "/live/live.m3u8")
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                let refused = try await studio.broadcast.run(["start", "--to", "crowd", "--bind", "lo"])
                #expect(refused.status == .exited(78), "\(refused.errors)")
                expectSentence(in: refused.errors, saying: ["bind", "interface"])
            }
        }

        @Test func `A web server gets segments by PUT, a viewer plays them, and old segments are deleted`() async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let root = try studio.peers.makeFolder("www")
                let server = try await Self.origin(root: root, in: studio.peers)
                try await Self.setUp(server, in: studio)
                let peer = try await studio.startLive(["--to", "crowd", "--keyframe-interval", "1"])
                let playlist = root + "/live/live.m3u8"
                try await peer.wait(for: "the playlist") { FileManager.default.fileExists(atPath: playlist) }
                #expect(try await studio.broadcast.statusText().contains("https://example.net/watch"))

                var clock = ClockTrack()
                let live = "http://127.0.0.1:\(server.port)/live/live.m3u8"
                try await FrameDecoder(live, size: (480, 270)).forEachFrame(in: studio.peers) { frame in
                    clock.add(frame)
                    return clock.readings.count < 60
                }
                #expect(clock.isRunning && clock.unreadable == 0)

                try await server.peer.killNow()
                try await peer.wait(for: "a status that says so") {
                    try await studio.broadcast.statusText().contains("cannot be reached (nothing listens there)")
                }
                _ = try await Self.origin(root: root, port: server.port, in: studio.peers)
                try await peer.wait(for: "the uploads to go on") {
                    try await studio.broadcast.statusText().contains("uploading again")
                }
                try await peer.wait(for: "the first segment's end") {
                    try FileManager.default.contentsOfDirectory(atPath: root + "/live").allSatisfy {
                        !$0.hasSuffix("-000000.ts")
                    }
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")

                let text = try String(contentsOfFile: playlist, encoding: .utf8)
                #expect(text.hasSuffix("#EXT-X-ENDLIST\n") && !text.contains("DISCONTINUITY"))
                // Everything that the playlist names exists. What left it in the last seconds can still be played.
                let left = try FileManager.default.contentsOfDirectory(atPath: root + "/live")
                let named = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
                #expect(named.count == 3 && Set(named).isSubset(of: left))
                #expect(left.count > 4 && left.allSatisfy { !$0.hasSuffix("-000000.ts") })
                // Whether the sound is in time is judged by HLSTimingTests.
                let end = try await MediaFile(path: live, peers: studio.peers).clock()
                let length = (end.readings.last?.pts ?? 0) - (end.readings.first?.pts ?? 0)
                #expect(end.isRunning && end.unreadable == 0 && length >= 2, "\(end.fault ?? "no fault"), \(length) s")
                #expect(!peer.standardError.contains(Self.password))
            }
        }

        @Test
        func
            `A server that cannot be reached is not reported as live, and waiting segments are uploaded when it starts`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let root = try studio.peers.makeFolder("www")
                let server = try await Self.origin(root: root, in: studio.peers)
                try await Self.setUp(server, in: studio)
                try await server.peer.killNow()
                let peer = try studio.broadcast.start(["start", "--to", "crowd", "--keyframe-interval", "1"])
                try await peer.wait(for: "a segment that waits") {
                    // Nor can PulseAudio be reached, so these words alone would not do.
                    try await studio.broadcast.statusText().contains("cannot be reached (nothing listens there)")
                }
                let early = try #require(try await studio.status())
                #expect(early.state == "starting" && early.destinations.map(\.state) == ["connecting"])
                _ = try await Self.origin(root: root, port: server.port, in: studio.peers)
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                let playlist = try String(contentsOfFile: root + "/live/live.m3u8", encoding: .utf8)
                #expect(playlist.hasSuffix("#EXT-X-ENDLIST\n"))

                // Shorter than a segment: never live, and yet all of it arrives.
                let short = try await studio.broadcast.run(["start", "--to", "crowd", "--duration", "0.5s"])
                #expect(short.status == .exited(0), "\(short.errors)")
                #expect(try String(contentsOfFile: root + "/live/live.m3u8", encoding: .utf8) != playlist)
            }
        }

        @Test func `A folder starts at the home folder, and missing folders above it are created on request`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let start = ["start", "--duration", "1s", "--to"]
                let refused = try await studio.broadcast.run(start + ["hls:~/new/live"])
                #expect(refused.status == .exited(64), "\(refused.errors)")
                expectSentence(
                    in: refused.errors, saying: [studio.broadcast.home + "/new/live", "the folder above it is missing"])
                let made = try await studio.broadcast.run(start + ["hls:~/new/live/"])
                #expect(made.status == .exited(0) && made.errors.contains("players open live.m3u8"), "\(made.errors)")
                let text = try String(contentsOfFile: studio.broadcast.home + "/new/live/live.m3u8", encoding: .utf8)
                #expect(text.hasSuffix("#EXT-X-ENDLIST\n"))
            }
        }

        @Test func `A second broadcast into the same playlist is refused, and the first one goes on`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await Self.origin(root: try studio.peers.makeFolder("www"), in: studio.peers)
                try await Self.setUp(server, in: studio)
                let folder = try studio.peers.makeFolder("live")
                let peer = try await studio.startLive([
                    "--to", "hls:\(folder)", "--to", "crowd", "--keyframe-interval", "1",
                ])
                // The first address has another spelling, so that only the extension finds the same playlist.
                let refusals = [
                    ("hls:\(folder)/live.m3u8", "Another broadcast writes live.m3u8"),
                    ("crowd", "the broadcast \"default\" sends to it"),
                ]
                for (target, reason) in refusals {
                    let second = try await studio.broadcast.run([
                        "start", "--session", "second", "--to", target, "--duration", "3s",
                    ])
                    #expect(second.status == .exited(69), "\(second.errors)")
                    expectSentence(in: second.errors, saying: [reason, "Stop"])
                }
                let other = try await studio.broadcast.run([
                    "start", "--session", "other", "--to", "hls:\(folder)/talk.m3u8", "--duration", "1s",
                ])
                #expect(other.status == .exited(0), "\(other.errors)")
                #expect(try await studio.broadcast.run(["stop", "--session", "default"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                let text = try String(contentsOfFile: folder + "/live.m3u8", encoding: .utf8)
                #expect(text.hasSuffix("#EXT-X-ENDLIST\n") && !text.contains("DISCONTINUITY"))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { !$0.hasPrefix(".") })
            }
        }

        @Test func `A refused upload is a final error with the status code`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await Self.origin(root: try studio.peers.makeFolder("www"), in: studio.peers)
                try await ShippedExtensions.lay(in: studio.peers)
                for (path, code) in [("live/", "401"), ("elsewhere/", "403")] {
                    let result = try await studio.broadcast.run(
                        ["start", "--to", "hls:http://127.0.0.1:\(server.port)/\(path)", "--keyframe-interval", "1"])
                    #expect(result.status == .exited(77), "\(result.errors)")
                    expectSentence(in: result.errors, saying: ["127.0.0.1:\(server.port)", "refused", code])
                }
            }
        }

        @Test func `A certificate that cannot be trusted ends it at once`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await Self.origin(root: try studio.peers.makeFolder("www"), in: studio.peers)
                let certificate = try await Certificates.make(in: studio.peers).server(names: "DNS:localhost")
                let tunnel = try await Stunnel.start(in: studio.peers, certificate: certificate, to: server.port)
                try await ShippedExtensions.lay(in: studio.peers)
                let begin = ContinuousClock.now
                let result = try await studio.broadcast.run(
                    ["start", "--to", "hls:https://localhost:\(tunnel.port)/live/", "--keyframe-interval", "1"])
                #expect(result.status == .exited(69), "\(result.errors)")
                expectSentence(in: result.errors, saying: ["certificate", "localhost:\(tunnel.port)", "not trusted"])
                // No sooner than the first segment, and not after the 20 s for which a server may be away.
                #expect(ContinuousClock.now - begin < .seconds(15))
            }
        }

        @Test func `A server with a certificate of its own authority is trusted with ca-file`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let root = try studio.peers.makeFolder("www")
                let server = try await Self.origin(root: root, in: studio.peers)
                let authority = try await Certificates.make(in: studio.peers)
                let tunnel = try await Stunnel.start(
                    in: studio.peers, certificate: try await authority.server(names: "DNS:localhost"), to: server.port)
                try await Self.setUp(
                    server, address: "https://localhost:\(tunnel.port)/live/", "ca-file = \"\(authority.authority)\"",
                    in: studio)
                let peer = try await studio.startLive(["--to", "crowd", "--keyframe-interval", "1"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                #expect(
                    try String(contentsOfFile: root + "/live/live.m3u8", encoding: .utf8).hasSuffix("#EXT-X-ENDLIST\n"))
            }
        }

        @Test func `A playlist whose extension crashed goes on with a discontinuity, and its old segments go`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let root = try studio.peers.makeFolder("www")
                let server = try await Self.origin(root: root, in: studio.peers)
                try await Self.setUp(server, in: studio)
                let peer = try await studio.startLive(["--to", "crowd", "--keyframe-interval", "1"])
                let playlist = root + "/live/live.m3u8"
                func lines() throws -> [String] {
                    try String(contentsOfFile: playlist, encoding: .utf8).split(separator: "\n").map(String.init)
                }
                try await peer.wait(for: "three segments") { try lines().count { !$0.hasPrefix("#") } == 3 }
                let child = try await studio.peers.run(
                    "pgrep", ["pgrep", "-P", "\(peer.processIdentifier)", "-x", "broadcast-hls"])
                let extensionProcess = try #require(pid_t(child.trimmingCharacters(in: .whitespacesAndNewlines)))
                // While it is stopped, nothing writes the playlist. An upload that is on its way ends at the server.
                kill(extensionProcess, SIGSTOP)
                var old: [String] = []
                try await peer.wait(for: "the playlist to stay as it is") {
                    let before = try lines()
                    try await Task.sleep(for: .milliseconds(100))
                    old = try lines()
                    return old == before
                }
                old.removeAll { $0.hasPrefix("#") }
                kill(extensionProcess, SIGKILL)
                var kept: [String] = []
                try await peer.wait(for: "the playlist to continue") {
                    let now = try lines()
                    kept = now.filter(old.contains)
                    return now.contains("#EXT-X-DISCONTINUITY")
                }
                // Players that followed it find segments that they know.
                #expect(!kept.isEmpty)
                try await peer.wait(for: "the old segments to be deleted") {
                    Set(try FileManager.default.contentsOfDirectory(atPath: root + "/live")).isDisjoint(with: kept)
                }
                // Also those that had left the playlist before the crash.
                let start = try #require(old.first).dropLast("000000.ts".count)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: root + "/live").allSatisfy {
                        !$0.hasPrefix(start)
                    })
                #expect(try lines().contains("#EXT-X-DISCONTINUITY-SEQUENCE:1"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        /// The origin of "When one machine is not enough".
        fileprivate nonisolated(nonsending) static func origin(root: String, port: Int? = nil, in peers: Peers)
            async throws -> Nginx
        {
            try "ada:{PLAIN}\(Self.password)\n".write(toFile: root + "/htpasswd", atomically: true, encoding: .utf8)
            return try await Nginx.start(
                try ShippedExtensions.configuration("hls-origin"),
                replacing: ["/srv/www": root, "/etc/nginx/live.htpasswd": root + "/htpasswd"], port: port, in: peers)
        }

        fileprivate nonisolated(nonsending) static func setUp(
            _ server: Nginx, address: String? = nil, _ line: String = "", in studio: Studio
        ) async throws {
            try await ShippedExtensions.lay(in: studio.peers)
            try studio.broadcast.writeConfiguration(
                """
                [destinations.crowd]
                extension = "hls"
                [destinations.crowd.setup]
                url = "\(address ?? "http://127.0.0.1:\(server.port)/live/")"
                \(line)
                user = "ada"
                segment = "1"
                window = "3"
                watch-url = "https://example.net/watch"
                """)
            let result = try await studio.broadcast.run(
                ["setup", "crowd", "--plain-file", "--secret-from-stdin", "password"], reading: Self.password + "\n")
            #expect(result.status == .exited(0), "\(result.errors)")
        }
    }

    /// How sound lies to picture in segments.
    struct HLSTimingTests {
        @Test func `Segments in a folder play from beginning to end, in both formats`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.fragments]
                    extension = "hls"
                    setup = { url = "\(studio.folder)/fmp4", segment = "1", window = "0", format = "fmp4" }
                    """)
                try "#EXTM3U\n".write(toFile: studio.path("live.m3u8"), atomically: true, encoding: .utf8)
                let peer = try await studio.startLive([
                    "--to", "hls:\(studio.folder)", "--to", "fragments", "--keyframe-interval", "1",
                ])
                try await studio.waitUntilElapsed(6, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                for (name, count) in [("live.m3u8", 1), ("fmp4/live.m3u8", 5)] {
                    let text = try String(contentsOfFile: studio.path(name), encoding: .utf8)
                    let segments = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
                    #expect(segments.count >= count && text.hasSuffix("#EXT-X-ENDLIST\n"), "\(text)")
                    #expect(!text.contains("DISCONTINUITY"))
                    try await studio.media(name).expectDecodable()
                    try await studio.media(name).expectClockAndBeeps(seconds: 5)
                }
                // Nothing half written is left.
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: studio.folder).allSatisfy {
                        !$0.hasSuffix(".part")
                    })
            }
        }
    }

    /// How long a server that hangs is waited for.
    struct HLSDeadlineTests {
        @Test func `A server that hangs is reported as reconnecting within 9 s, and a stop ends within 5 s`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let server = try await HLSBroadcastTests.origin(
                    root: try studio.peers.makeFolder("www"), in: studio.peers)
                try await HLSBroadcastTests.setUp(server, in: studio)
                let peer = try await studio.startLive(["--to", "crowd", "--keyframe-interval", "1"])
                server.peer.signal(SIGSTOP)
                let silence = ContinuousClock.now
                try await peer.wait(for: "a state that says so") {
                    let destination = try await studio.status()?.destinations.first
                    return destination?.state == "reconnecting"
                        && destination?.error?.message.contains("does not answer") == true
                }
                // 5 s, and the time to the next segment.
                #expect(ContinuousClock.now - silence < .seconds(9))
                let stop = ContinuousClock.now
                _ = try await studio.broadcast.run(["stop"])
                _ = try await peer.waitForExit()
                // 2.5 s for the last segment, and 1 s for the final playlist.
                #expect(ContinuousClock.now - stop < .seconds(5))
                server.peer.signal(SIGCONT)
            }
        }
    }
}
