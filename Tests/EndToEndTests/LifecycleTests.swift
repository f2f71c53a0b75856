import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What is said to a session from outside while it runs.
    struct LifecycleTests {
        @Test func `The microphone goes on and off while a broadcast runs`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--mic-source", "app.monitor", "--to", studio.path("out.mp4")])
                #expect(try await studio.status()?.audio.mic == nil)
                #expect(try await studio.broadcast.run(["mic", "on"]).output == "on\n")
                try await peer.wait(for: "the microphone's source") {
                    try await studio.status()?.audio.mic?.source != nil
                }
                #expect(try await studio.broadcast.run(["mic", "toggle"]).output == "off\n")
                #expect(try await studio.status()?.audio.mic == nil)
                #expect(try await studio.broadcast.run(["mic", "louder"]).status == .exited(64))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test
        func
            `Without a microphone, the monitor of the applications is not used instead, and one that is connected later is used`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--mic", "--to", studio.path("out.mp4")])
                _ = try await peer.waitForErrorLine(containing: "there is no microphone")
                #expect(try #require(try await studio.status()).audio.mic?.source == nil)
                let pulse = try #require(studio.pulse)
                try await pulse.control([
                    "load-module", "module-remap-source", "master=app.monitor", "source_name=headset",
                ])
                try await pulse.control(["set-default-source", "headset"])
                try await peer.wait(for: "the microphone") { try await studio.status()?.audio.mic?.source == "headset" }
                #expect(peer.standardError.components(separatedBy: "there is no microphone").count == 2)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `One command starts and stops, also with a configuration that has become invalid`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let key = ["start", "--toggle", "--detach", "--to", studio.path("out.mp4")]
                #expect(try await studio.broadcast.run(key).status == .exited(0))
                #expect(try await studio.status()?.state == "live")
                try studio.broadcast.writeConfiguration("[video")
                let second = try await studio.broadcast.run(key)
                #expect(second.status == .exited(0) && second.output.contains("out.mp4"), "\(second)")
                #expect(try await studio.status() == nil)
                #expect(try await studio.broadcast.run(key).status == .exited(78))
            }
        }

        @Test func `The result of a destination is shown at each end`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                for _ in 0..<8 {
                    let result = try await studio.broadcast.run([
                        "start", "--duration", "0.5s", "--to", studio.path("out.mp4"),
                    ])
                    #expect(
                        result.status == .exited(0) && result.errors.contains(#/out\.mp4: 00:0\d, /#),
                        "\(result.errors)")
                }
            }
        }

        @Test func `Several SIGHUP of a closed terminal end the broadcast cleanly`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4"), "--to", studio.path("out.ts")])
                try await studio.waitUntilElapsed(2, of: peer)
                // One comes from the shell, one from the kernel, and both may come while the files are completed.
                try await peer.wait(for: "its end") {
                    peer.signal(SIGHUP)
                    return peer.status != nil
                }
                #expect(peer.status == .exited(0), "\(peer.standardError)")
                try await studio.media("out.mp4").expectDecodable()
                try studio.media("out.mp4").expectOrdinaryMP4()
            }
        }

        @Test func `A second Ctrl-C ends a broadcast at once, and a hang-up between them does not count`() async throws
        {
            try await withStudio(width: 320, height: 240) { studio in
                // An extension that does not end when it is asked to: the session waits for it for five seconds.
                let folder = studio.broadcast.home + "/data/broadcast/extensions/stay"
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                let manifest = "name = \"stay\"\nexec = \"./run\"\nmode = \"samples\"\n"
                for (name, text) in [
                    ("extension.toml", manifest), ("run", "#!/bin/sh\necho '{\"hello\":1}'\nexec sleep 100\n"),
                ] {
                    try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
                    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(folder)/\(name)")
                }
                let peer = try await studio.startLive(["--to", "stay"])
                peer.signal(SIGINT)
                _ = try await peer.waitForErrorLine(containing: "session default: finishing")
                peer.signal(SIGHUP)
                try await peer.signalUntilExit(SIGINT)
                #expect(peer.status == .exited(130))
            }
        }

        @Test func `Without sound there is no microphone to turn on`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                _ = try await studio.startLive(["--no-app-audio", "--to", studio.path("out.mp4")])
                let answer = try await studio.broadcast.run(["mic", "on"])
                #expect(answer.status == .exited(1) && answer.errors.contains("--mic"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `Events tell of states, annotations and clips, a JSON object a line, until the session ends`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 320, height: 240) { studio in
                let peer = try await studio.startLive(["--to", studio.path("out.mp4"), "--clip-buffer", "20s"])
                let events = try studio.broadcast.start(["events"])
                // Statistics come twice a second: the first shows that the follower is heard.
                _ = try await events.waitForOutputLine(containing: "\"statistics\"")
                let annotated = try await studio.broadcast.run(["annotate", "game=chess", "title=Final"])
                #expect(
                    annotated.status == .exited(0) && annotated.errors.hasPrefix("No destination takes it. Not in out")
                        && annotated.errors.contains("that it began with")
                        && !annotated.errors.contains("its own page"), "\(annotated)")
                #expect(try await studio.status()?.title == "Final")
                let chat = try await studio.broadcast.run(["chat"])
                #expect(chat.status == .exited(1) && chat.errors.contains("can receive comments"), "\(chat)")
                #expect(try await studio.broadcast.run(["annotate", "game"]).status == .exited(64))
                try await studio.waitUntilElapsed(3, of: peer)
                let clip = try await studio.broadcast.run(["clip", "--last", "2s", studio.path("clip.mp4")])
                #expect(clip.status == .exited(0) && clip.output == studio.path("clip.mp4") + "\n")
                let webm = try await studio.broadcast.run(["clip", studio.path("clip.webm")])
                #expect(webm.status == .exited(64) && webm.errors.contains("clip.mp4 instead of clip.webm"), "\(webm)")
                for command in ["hide", "unhide"] {
                    #expect(try await studio.broadcast.run([command, "class:Nobody"]).status == .exited(0))
                }
                #expect(try await studio.broadcast.run(["pause"]).status == .exited(0))
                #expect(try await studio.broadcast.run(["stop", "--all", "--session", "x"]).status == .exited(64))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await events.waitForExit() == .exited(0))
                try expectEvents(events.standardOutput)
                try await studio.media("clip.mp4").expectDecodable()
                try studio.media("clip.mp4").expectOrdinaryMP4()
                let seconds = try await FFProbe.probe(studio.path("clip.mp4"), in: studio.peers).format.seconds
                #expect((1.9...4.6).contains(seconds), "\(seconds)")
            }
        }

        private func expectEvents(_ output: String) throws {
            var seen: [String: [[String: Any]]] = [:]
            for line in output.split(separator: "\n") {
                let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(object["session"] as? String == "default")
                #expect((object["time"] as? String)?.hasSuffix("Z") == true)
                seen[try #require(object["event"] as? String), default: []].append(object)
            }
            #expect(seen["state"]?.compactMap { $0["state"] as? String } == ["paused", "finishing", "finished"])
            #expect(
                seen["annotation"]?.contains {
                    $0["annotation"] as? [String: String] == ["game": "chess", "title": "Final"]
                } == true)
            #expect(seen["clip"]?.count == 1)
            for event in ["hide", "unhide"] {
                #expect(seen[event]?.map { $0["rule"] as? String } == ["class:Nobody"])
            }
            #expect(seen["destination"]?.isEmpty == false)
        }

        @Test func `Clips are saved also where nothing else is written`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let peer = try await studio.startLive(["--to", "clips"])
                try await studio.waitUntilElapsed(5, of: peer)
                #expect(
                    try await studio.broadcast.run(["clip", "--last", "1s", studio.path("short.mp4")]).status
                        == .exited(0))
                #expect(
                    try await studio.broadcast.run(["clip", "--last", "1m", studio.path("long.mp4")]).status
                        == .exited(0))
                #expect(try await studio.broadcast.run(["clip", "/no/such/folder/x.mp4"]).status == .exited(73))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                for name in ["short.mp4", "long.mp4"] { try await studio.media(name).expectDecodable() }
                let short = try await FFProbe.probe(studio.path("short.mp4"), in: studio.peers).format.seconds
                let long = try await FFProbe.probe(studio.path("long.mp4"), in: studio.peers).format.seconds
                #expect((0.9...3.2).contains(short), "\(short)")
                #expect(long > 4.5, "\(long)")
            }
        }

        @Test func `Clips take a time and a file in any order, have names of their own, and say if they are shorter`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                let peer = try await studio.startLive(["--to", "clips", "--clip-buffer", "4s"])
                try await studio.waitUntilElapsed(3, of: peer)
                // In a folder of their own, as fast as they come.
                var names: [String] = []
                for _ in 0..<4 {
                    let clip = try studio.peers.start(
                        "broadcast", [studio.broadcast.binary, "clip", "1s"], environment: studio.broadcast.environment,
                        folder: studio.folder)
                    #expect(
                        try await clip.waitForExit() == .exited(0) && clip.standardError == "", "\(clip.standardError)")
                    // The processes have one folder, so their output is one file: the last line is the newest.
                    names.append(String(clip.standardOutput.split(separator: "\n").last ?? ""))
                }
                #expect(Set(names).count == 4, "\(names)")
                for name in names { try await MediaFile(path: name, peers: studio.peers).expectDecodable() }
                let file = studio.path("named.mp4")
                for arguments in [["clip", file, "1s"], ["clip", "0:01", file]] {
                    #expect(try await studio.broadcast.run(arguments).output == file + "\n")
                }
                let long = try await studio.broadcast.run(["clip", "1h", studio.path("long.mp4")])
                #expect(long.status == .exited(0) && long.errors.contains("the session kept no more"), "\(long.errors)")
                for arguments in [["clip", "1s", "2s"], ["clip", "a.mp4", "b.mp4"], ["clip", "--last", "1s", "2s"]] {
                    let refused = try await studio.broadcast.run(arguments)
                    #expect(refused.status == .exited(64))
                    expectSentence(in: refused.errors, saying: ["one length and one file"])
                }
                let nowhere = try await studio.broadcast.run(["clip", "/no/such/folder/x.mp4"])
                expectSentence(in: nowhere.errors, saying: ["/no/such/folder/x.mp4", "Create the folder"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A session without a clip buffer says how to get one`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                _ = try await studio.startLive(["--to", studio.path("out.mp4")])
                let answer = try await studio.broadcast.run(["clip", studio.path("clip.mp4")])
                #expect(answer.status == .exited(1) && answer.errors.contains("--clip-buffer"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `Logs keep what a session said`() async throws {
            try await withStudio(["clock"], width: 320, height: 240) { studio in
                #expect(try await studio.broadcast.run(["logs"]).status == .exited(1))
                _ = try await studio.startLive(["--to", studio.path("out.mp4")])
                let follower = try studio.broadcast.start(["logs", "--follow"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await follower.waitForExit() == .exited(0))
                #expect(follower.standardOutput.contains("session default: finished"))
                #expect(follower.standardOutput.contains(/out\.mp4: 00:0\d, .*\(\/.*\/out\.mp4\)/))
                #expect(try await studio.broadcast.run(["logs"]).output.contains(studio.path("out.mp4")))
            }
        }
    }
}
