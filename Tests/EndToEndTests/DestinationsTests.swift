import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Destinations that come, go, and ask for pictures of their own.
    struct DestinationsTests {
        @Test func `Adding and removing a destination leaves no gap in the others`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", studio.path("all.mp4")])
                try await studio.waitUntilElapsed(1, of: peer)
                let added = try await studio.broadcast.run(["add-destination", server.url(key: "late")])
                #expect(added.status == .exited(0) && added.output == "rtmp\n", "\(added.errors)")
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "late") }
                // A request that fails leaves nothing behind.
                let refused = try await studio.broadcast.run([
                    "add-destination", "rtmp://127.0.0.1:\(try freePort())/live/typo",
                ])
                #expect(refused.status == .exited(69), "\(refused.errors)")
                #expect(try await studio.status()?.destinations.map(\.state) == ["live", "live"])
                let file = try await studio.broadcast.run(["add-destination", studio.path("late.mp4")])
                #expect(file.status == .exited(0) && file.output == "late.mp4\n", "\(file.errors)")
                let twice = try await studio.broadcast.run(["add-destination", studio.path("late.mp4")])
                #expect(
                    twice.status == .exited(1) && twice.errors.contains("part of this broadcast already"),
                    "\(twice.errors)")
                try await studio.waitUntilElapsed(4, of: peer)
                let removed = try await studio.broadcast.run(["remove-destination", "rtmp"])
                #expect(
                    removed.status == .exited(0) && removed.output.hasPrefix("rtmp: 00:0"),
                    "\(removed.output)\(removed.errors)")
                let other = try await studio.broadcast.run(["add-destination", studio.path("other.mp4"), "--json"])
                #expect(
                    other.status == .exited(0) && other.output.contains(studio.path("other.mp4"))
                        && other.output.contains("\"name\""),
                    "\(other.output)")
                let byPath = try await studio.broadcast.run(["remove-destination", studio.path("other.mp4")])
                #expect(
                    byPath.status == .exited(0) && byPath.output.hasPrefix("other.mp4: "),
                    "\(byPath.output)\(byPath.errors)")
                try await server.peer.wait(for: "its end") { try await !server.isPublishing(key: "late") }
                #expect(try await studio.broadcast.run(["remove-destination", "nothing"]).status == .exited(1))
                try await studio.broadcast.waitForMoreSeconds(1.5, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                for (name, shortest) in [("all.mp4", 4.8), ("late.mp4", 1.0)] {
                    let media = studio.media(name)
                    try await media.expectDecodable()
                    let clock = try await media.clock()
                    #expect(clock.unreadable == 0 && clock.isRunning)
                    let seconds = try #require(clock.readings.last).pts - (try #require(clock.readings.first)).pts
                    #expect(seconds >= shortest, "\(name): \(seconds) s")
                    // Three changes that the file notices would leave three gaps. A machine that is busy for a moment
                    // leaves one.
                    let steps = zip(clock.readings, clock.readings.dropFirst()).map { $1.pts - $0.pts }
                    #expect(steps.count { $0 >= 0.3 } <= 1, "\(name): \(steps)")
                }
            }
        }

        @Test func `The only destination is not removed`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let peer = try await studio.startLive(["--to", studio.path("a.mp4")])
                let answer = try await studio.broadcast.run(["remove-destination", "a.mp4"])
                #expect(answer.status == .exited(1) && answer.errors.contains("broadcast stop"), "\(answer.errors)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Only names that collide are numbered, and those of the config stay as they are`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                for folder in ["one", "two", "three"] {
                    try FileManager.default.createDirectory(
                        atPath: studio.path(folder), withIntermediateDirectories: true)
                }
                try studio.broadcast.writeConfiguration(
                    ["cam", "cam-2", "tube", "tube-hls"]
                        .map { "[destinations.\($0)]\nextension = \"file\"\npath = \"\(studio.path($0 + ".ts"))\"\n" }
                        .joined())
                let files = ["one/cam", "two/cam", "three/a.ts", "one/a.ts", "two/a.ts"].map { studio.path($0) }
                let targets = ["tube-hls", "tube", files[0], "cam-2", "cam"] + files[1...]
                let peer = try await studio.startLive(["--format", "mpegts"] + targets.flatMap { ["--to", $0] })
                #expect(
                    try await studio.status()?.destinations.map(\.name)
                        == ["tube-hls", "tube", "cam-3", "cam-2", "cam", "cam-4", "a.ts", "a.ts-2", "a.ts-3"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
            }
        }

        @Test func `Each destination gets the size that its config asks for`() async throws {
            try await withStudio(["clock"], width: 1280, height: 720, hasSound: false) { studio in
                let server = try await NginxRTMP.start(
                    in: studio.peers, live: "record all; record_path \(studio.folder); record_suffix .flv;")
                let folder = try #require(studio.broadcast.environment["XDG_CONFIG_HOME"]) + "/broadcast"
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try """
                [destinations.small]
                extension = "rtmp"
                url = "\(server.url(key: "small"))"
                size = "640x360"
                bitrate = 800
                [destinations.big]
                extension = "rtmp"
                url = "\(server.url(key: "big"))"
                """.write(toFile: folder + "/config.toml", atomically: false, encoding: .utf8)
                let peer = try await studio.startLive(["--to", "small", "--to", "big", "--to", studio.path("file.mp4")])
                try await peer.wait(for: "both streams") {
                    guard try await server.isPublishing(key: "small") else { return false }
                    return try await server.isPublishing(key: "big")
                }
                try await studio.waitUntilElapsed(4, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                for (name, width) in [("small.flv", 640), ("big.flv", 1280), ("file.mp4", 1280)] {
                    let media = studio.media(name)
                    let probe = try await FFProbe.probe(media.path, in: studio.peers)
                    #expect(probe.video?.width == width, "\(name): \(probe.video?.width ?? 0)")
                    let clock = try await media.clock()
                    #expect(clock.unreadable == 0 && clock.isRunning && clock.readings.count > 60, "\(name)")
                }
            }
        }

        @Test func `A server that is killed and restarted gets the stream again, and the file has no gap`() async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let directives = "record all; record_path \(studio.folder); record_suffix -%s.flv;"
                let server = try await NginxRTMP.start(in: studio.peers, live: directives)
                let peer = try await studio.startLive(["--to", server.url(key: "key"), "--to", studio.path("file.mp4")])
                try await peer.wait(for: "the stream") { try await server.isPublishing(key: "key") }
                try await studio.waitUntilElapsed(2, of: peer)
                server.peer.signal(SIGKILL)
                try await peer.wait(for: "the outage") {
                    try await status(of: "rtmp", in: studio)?.state == "reconnecting"
                }
                let waiting = try #require(try await status(of: "rtmp", in: studio))
                #expect((waiting.nextRetryS ?? -1) >= 0 && waiting.error != nil)
                #expect(try await studio.broadcast.run(["status"]).output.contains("Next try in"))
                try await server.peer.waitForExit()
                // While the server is away, each try fails, and another wait follows.
                try await peer.wait(for: "a retry") {
                    let retry = try await studio.broadcast.run(["retry"])
                    if retry.status == .exited(0) { #expect(retry.output == "rtmp\n", "\(retry)") }
                    return retry.status == .exited(0)
                }
                let again = try await server.startAgain(in: studio.peers)
                try await peer.wait(for: "the stream again") { try await again.isPublishing(key: "key") }
                // The server knows of the stream a moment before the program has its answer.
                try await peer.wait(for: "one reconnection") {
                    try await status(of: "rtmp", in: studio)?.reconnects == 1
                }
                #expect(try await studio.broadcast.run(["retry"]).status == .exited(1))
                try await studio.broadcast.waitForMoreSeconds(2, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                let recordings = try FileManager.default.contentsOfDirectory(atPath: studio.folder).filter {
                    $0.hasSuffix(".flv")
                }.sorted()
                #expect(recordings.count == 2)
                let second = studio.media(try #require(recordings.last))
                let clock = try await second.clock()
                #expect(clock.readings.count > 30 && clock.unreadable == 0 && clock.isRunning)
                let packets = try await FFProbe.packets(of: second.path, in: studio.peers)
                #expect(packets.first { $0.kind == "video" }?.isKeyframe == true)
                let file = try await studio.media("file.mp4").clock()
                #expect(zip(file.readings, file.readings.dropFirst()).allSatisfy { $1.pts - $0.pts < 0.3 })
            }
        }

        @Test func `If the user removes a destination during an outage, the broadcast does not count as failed`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", server.url(key: "key"), "--to", studio.path("file.mp4")])
                try await peer.wait(for: "the stream") { try await status(of: "rtmp", in: studio)?.state == "live" }
                server.peer.signal(SIGKILL)
                try await peer.wait(for: "the outage") {
                    try await status(of: "rtmp", in: studio)?.state == "reconnecting"
                }
                let removed = try await studio.broadcast.run(["remove-destination", "rtmp"])
                #expect(removed.status == .exited(69) && removed.output == "", "\(removed)")
                expectSentence(in: removed.errors, saying: ["rtmp: failed after 00:"])
                #expect(try await studio.status()?.destinations.map(\.name) == ["file.mp4"])
                #expect(!peer.standardError.contains("rtmp: failed"), "\(peer.standardError)")
                let stop = try await studio.broadcast.run(["stop", "--json"])
                #expect(stop.status == .exited(0), "\(stop.errors)")
                #expect(try StatusAnswer(json: stop.output).sessions.first?.state == "finished")
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        private nonisolated(nonsending) func status(of name: String, in studio: Studio) async throws -> SessionStatus
            .Destination?
        {
            try await studio.status()?.destinations.first { $0.name == name }
        }

        @Test func `A broadcast that is stopped while it still connects ends as asked`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                // It accepts and says nothing.
                let port = try freePort()
                let program =
                    "import socket, time; s = socket.create_server(('127.0.0.1', \(port))); c = s.accept()[0]; time.sleep(300)"
                let silent = try studio.peers.start("silent-server", ["python3", "-c", program])
                try await silent.wait(for: "its port") { isBound(port) }
                let peer = try studio.broadcast.start(["start", "--to", "rtmp://127.0.0.1:\(port)/live/key"])
                try await peer.wait(for: "the session") {
                    try await studio.status()?.destinations.first?.state == "connecting"
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }
    }
}
