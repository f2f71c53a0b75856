import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Sessions, their names and their status.
    struct SessionTests {
        /// The fields of the status (docs/protocols.md), where a broadcast with sound and microphone is live to a file
        /// and a server.
        private static let fields: [String: Set<String>] = [
            "": ["version", "sessions"],
            "sessions": [
                "session", "name", "pid", "state", "started", "elapsed", "title", "source", "video", "audio",
                "application",
                "destinations",
            ],
            "sessions.source": ["kind", "display", "width", "height"],
            "sessions.video": [
                "width", "height", "fps", "captured", "encoded", "repeated", "dropped", "bitrate_kbps", "target_kbps",
            ],
            "sessions.application": ["id", "title"],
            "sessions.audio": ["app", "mic"],
            "sessions.audio.app": ["source", "level_db", "drift_ppm", "muted"],
            "sessions.audio.mic": ["source", "level_db", "drift_ppm", "muted"],
            "sessions.destinations": [
                "name", "extension", "state", "url", "bytes", "bitrate_kbps", "dropped", "duration", "queue_ms",
                "reconnects", "next_retry_s", "path",
                "watch_url", "error",
            ],
        ]
        /// Those that are there only when there is something to say.
        private static let optional: Set<String> = [
            "title", "application", "level_db", "url", "next_retry_s", "path", "watch_url", "error",
        ]

        @Test func `The status has the fields that scripts read, with sane values`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let server = try await NginxRTMP.start(in: studio.peers)
                let peer = try await studio.startLive(
                    [
                        "--mic", "--mic-source", "app.monitor", "--title", "A talk", "--to", studio.path("out.mp4"),
                        "--to", server.url(key: "key"),
                    ])
                try await studio.waitUntilElapsed(2.5, of: peer)
                let answer = try await studio.broadcast.run(["status", "--json"])
                try expectFields(try JSONSerialization.jsonObject(with: Data(answer.output.utf8)), at: "")
                try expectSaneValues(try StatusAnswer(json: answer.output), of: peer, studio)
                let text = try await studio.broadcast.run(["status"])
                #expect(
                    text.output.contains("default: live") && text.output.contains("640x360")
                        && text.output.contains(studio.path("out.mp4")))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(try await studio.status() == nil)
            }
        }

        private func expectFields(_ value: Any, at place: String) throws {
            if let list = value as? [Any] { return try list.forEach { try expectFields($0, at: place) } }
            guard let object = value as? [String: Any] else { return }
            let wanted = try #require(Self.fields[place], "no object was expected at \(place)")
            let found = Set(object.keys)
            #expect(found.isSubset(of: wanted), "\(place): \(found.subtracting(wanted))")
            #expect(
                wanted.subtracting(Self.optional).isSubset(of: found), "\(place): \(wanted.subtracting(found)) missing")
            for (key, inner) in object { try expectFields(inner, at: place.isEmpty ? key : place + "." + key) }
        }

        private func expectSaneValues(_ answer: StatusAnswer, of peer: Peer, _ studio: Studio) throws {
            #expect(answer.version == 1)
            let session = try #require(answer.sessions.first)
            #expect(session.session == "default" && session.state == "live" && session.title == "A talk")
            #expect(session.pid == peer.processIdentifier)
            #expect((2.5...30).contains(session.elapsed))
            let started = try Date(session.started, strategy: .iso8601)
            #expect(abs(Date().timeIntervalSince(started) - session.elapsed) < 3)
            let video = try #require(session.video)
            #expect(video.width == 640 && video.height == 360 && video.fps == 30)
            #expect(video.captured > 30 && video.encoded > 30 && video.bitrateKbps > 10)
            let app = try #require(session.audio.app)
            #expect(app.source == "app.monitor" && !app.muted && abs(app.driftPpm) <= 5000)
            #expect((app.levelDb ?? -100) > -20)
            #expect(session.audio.mic?.source == "app.monitor")
            #expect(session.destinations.map(\.name) == ["out.mp4", "rtmp"])
            #expect(session.destinations.map(\.state) == ["live", "live"])
            #expect(session.destinations[0].path == studio.path("out.mp4"))
            #expect(session.destinations.allSatisfy { $0.bytes > 1000 && $0.dropped == 0 && $0.error == nil })
        }

        @Test func `Two sessions run side by side`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let one = try await studio.startLive(["--to", studio.path("one.mp4")], session: "one")
                let two = try await studio.startLive(["--to", studio.path("two.mp4")], session: "two")
                try await studio.waitUntilElapsed(1, of: two, session: "two")
                let status = try await studio.broadcast.run(["status", "--session", "one", "--json"])
                #expect(try StatusAnswer(json: status.output).sessions.map(\.session) == ["one"])
                #expect(try await studio.broadcast.run(["status", "--session", "nine"]).status == .exited(1))
                let stop = try await studio.broadcast.run(["stop", "--session", "one"])
                #expect(stop.output.contains("one.mp4") && !stop.output.contains("two.mp4"))
                #expect(try await one.waitForExit() == .exited(0))
                #expect(try await studio.status(of: "two")?.state == "live")
                let third = try await studio.startLive(["--to", studio.path("three.mp4")], session: "three")
                let all = try await studio.broadcast.run(["stop", "--all"])
                #expect(all.status == .exited(0) && all.output.contains("two.mp4") && all.output.contains("three.mp4"))
                for peer in [two, third] { #expect(try await peer.waitForExit() == .exited(0)) }
                for name in ["one.mp4", "two.mp4"] { try await studio.media(name).expectDecodable() }
            }
        }

        @Test func `What a killed session left behind is no obstacle`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let killed = try await studio.startLive(["--to", studio.path("killed.mp4")])
                try await killed.killNow()
                let socket = studio.broadcast.home + "/run/broadcast/default.sock"
                #expect(FileManager.default.fileExists(atPath: socket))
                let status = try await studio.broadcast.run(["status"])
                #expect(status.status == .exited(0) && status.output == "Nothing is being broadcast.\n")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(1))
                let next = try await studio.startLive(["--to", studio.path("next.mp4")])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await next.waitForExit() == .exited(0))
                #expect(!FileManager.default.fileExists(atPath: socket))
            }
        }

        @Test func `Of four that start at once under one name one wins`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peers = try (1...4).map { try studio.broadcast.start(["start", "--to", studio.path("\($0).mp4")]) }
                try await waitUntil("three that are refused") { peers.count { $0.status == .exited(1) } == 3 }
                let winner = try #require(peers.first { $0.status == nil })
                _ = try await winner.waitForErrorLine(containing: "session default: live")
                for loser in peers where loser !== winner {
                    expectSentence(in: loser.standardError, saying: ["is running already"])
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: studio.folder).count == 1)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await winner.waitForExit() == .exited(0))
            }
        }

        @Test func `Watching the status ends with the session`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4")])
                let watch = try studio.broadcast.start(["status", "--json", "--watch"])
                try await watch.wait(for: "two answers") { watch.standardOutput.split(separator: "\n").count >= 2 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0))
                #expect(try await watch.waitForExit(deadline: .seconds(5)) == .exited(0))
                // A line each, so that a script can read them as they come.
                for line in watch.standardOutput.split(separator: "\n") {
                    #expect(try StatusAnswer(json: String(line)).version == 1)
                }
            }
        }
    }
}
