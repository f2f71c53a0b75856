import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Extensions that are programs of their own, beside a real broadcast.
    struct ExtensionTests {
        private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Examples")
            .standardized

        /// Puts a copy of an example where `broadcast` finds it.
        private func install(_ name: String, for broadcast: BroadcastCommand) throws {
            let target = broadcast.home + "/data/broadcast/extensions/" + name
            try FileManager.default.createDirectory(
                atPath: broadcast.home + "/data/broadcast/extensions", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try FileManager.default.copyItem(atPath: Self.examples.appendingPathComponent(name).path, toPath: target)
            if name == "keyframe-watch" {
                try FileManager.default.copyItem(atPath: try BuiltPrograms.path(of: name), toPath: target + "/" + name)
            }
            // A checkout may be writable to a group.
            for file in [""] + (try FileManager.default.contentsOfDirectory(atPath: target)) {
                let path = target + "/" + file
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o700
                try FileManager.default.setAttributes([.posixPermissions: mode & 0o755], ofItemAtPath: path)
            }
        }

        /// Writes an extension of one shell script.
        fileprivate static func write(
            _ name: String, script: String, mode: String = "samples", for broadcast: BroadcastCommand
        ) throws {
            let folder = broadcast.home + "/data/broadcast/extensions/" + name
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try "name = \"\(name)\"\nexec = \"./program\"\nmode = \"\(mode)\"\n".write(
                toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
            try script.write(toFile: folder + "/program", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder + "/program")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/extension.toml")
        }

        private func object(_ path: String) throws -> Any {
            try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        }

        @Test func `Viewers are counted, and what they write reaches the terminal and chat, but not the log`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try ExtensionTests.write("crowd", script: Self.crowd, for: studio.broadcast)
                let session = try studio.broadcast.start(["start", "--to", "crowd"])
                try await session.wait(for: "the session") {
                    try await studio.status()?.destinations.first?.viewers == 3
                }
                let chat = try studio.broadcast.start(["chat"])
                let json = try studio.broadcast.start(["chat", "--json"])
                // They follow from now on.
                try await session.wait(for: "a comment in each") {
                    [chat, json].allSatisfy { $0.standardOutput.contains("[31mHello") }
                }
                let age = try #require(try await studio.status()?.destinations.first?.status.flatMap(Double.init))
                // The clock of the samples is the machine's.
                #expect(age > 0 && age < 2000, "\(age) ms")
                let text = try await studio.broadcast.run(["status"])
                #expect(text.output.contains(", 3 watching"), "\(text)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await chat.waitForExit() == .exited(0))
                #expect(chat.standardOutput.hasPrefix("crowd: <Ada> [31mHello\n"), "\(chat.standardOutput)")
                _ = try await json.waitForExit()
                let line = try #require(json.standardOutput.split(separator: "\n").first)
                let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                #expect(
                    event["event"] as? String == "comment"
                        && event["comment"] as? [String: String]
                            == ["destination": "crowd", "from": "Ada", "text": "[31mHello"]
                )
                _ = try await session.waitForExit()
                #expect(session.standardError.contains("crowd: <Ada> [31mHello"), "\(session.standardError)")
                let log = try await studio.broadcast.run(["logs"])
                #expect(log.output.contains("live") && !log.output.contains("Hello"), "\(log)")
            }
        }

        /// Writes how old each tenth picture is as its status, and a comment with it.
        private static let crowd = """
            #!/usr/bin/env python3
            import json, struct, sys, time
            print('{"hello":1}', flush=True)
            print('{"viewers":3}', flush=True)
            count = clock = 0
            while header := sys.stdin.buffer.read(32):
                _, length, kind, track, flags, sequence, pts, dts = struct.unpack("<4sIBBHIqq", header)
                payload = sys.stdin.buffer.read(length)
                if kind == ord("J"):
                    clock = json.loads(payload).get("clock", clock)
                elif kind == ord("S") and track == 0:
                    count += 1
                    if count % 10 == 0:
                        print(json.dumps({"status": str((time.monotonic_ns() - clock - pts) / 1e6)}), flush=True)
                        print(json.dumps({"comment": {"from": "Ada", "text": "\\x1b[31mHello"}}), flush=True)

            """

        @Test func `A start without extensions deletes the clips that a crashed broadcast left`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let clips = studio.broadcast.home + "/state/broadcast/clips"
                try FileManager.default.createDirectory(
                    atPath: clips + "/clip-folder-aBc123/done", withIntermediateDirectories: true)
                for name in ["clip-000001.mp4", "done/a.mp4"] {
                    try Data([1]).write(to: URL(fileURLWithPath: clips + "/clip-folder-aBc123/" + name))
                }
                try await studio.record(["--duration", "1s", "--to", studio.path("a.mp4")])
                #expect(try FileManager.default.contentsOfDirectory(atPath: clips) == [])
            }
        }

        @Test func `The example for chats shows what people write in an IRC channel`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try install("chat-reader", for: studio.broadcast)
                let (folder, port) = (try studio.peers.makeFolder("irc"), try freePort())
                try """
                [Global]
                Name = irc.example
                Info = test
                Listen = 127.0.0.1
                Ports = \(port)
                ServerUID = \(getuid())
                ServerGID = \(getgid())
                [Options]
                DNS = no
                Ident = no
                PAM = no
                """.write(toFile: folder + "/ngircd.conf", atomically: true, encoding: .utf8)
                let server = try studio.peers.start("ngircd", ["ngircd", "-n", "-f", folder + "/ngircd.conf"])
                try await server.wait(for: "its port") { isListening(port) }
                try studio.broadcast.writeConfiguration(
                    """
                    [destinations.chat]
                    extension = "chat-reader"
                    setup = { server = "127.0.0.1:\(port)", channel = "Stage", tls = "no", nickname = "reader" }
                    """)
                let session = try await studio.startLive(["--to", "a.mp4", "--to", "chat"])
                try await session.wait(for: "the channel") {
                    try await studio.broadcast.statusText().contains("reads #stage")
                }
                let ada = try studio.peers.start(
                    "ada", ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/\(port); cat <&3 & exec cat >&3"], input: .pipe)
                func say(_ line: String) async throws { try await ada.write(Array((line + "\r\n").utf8)) }
                try await say("NICK ada\r\nUSER ada 0 * :Ada")
                // IRC ends lines with CR LF, which is one character in Swift.
                try await ada.wait(for: "the welcome") { ada.standardOutput.contains(" 001 ada ") }
                try await say("JOIN #stage")
                try await ada.wait(for: "the channel") { ada.standardOutput.contains(" JOIN ") }
                try await say("PRIVMSG #stage :Hello : \u{1b}[31mreadable?")
                try await session.wait(for: "the comment") {
                    session.standardError.contains("chat: <ada> Hello : [31mreadable?")
                }
                try await say("PRIVMSG #stage :\u{01}ACTION waves\u{01}\r\nPRIVMSG reader :not for viewers")
                try await session.wait(for: "the action") { session.standardError.contains("chat: <ada> waves") }
                #expect(!session.standardError.contains("not for viewers"))
                // The server goes: the recording goes on, and the reader says that it tries again.
                server.signal(SIGTERM)
                try await session.wait(for: "the retry") {
                    try await studio.broadcast.statusText().contains("tries again in")
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0), "\(session.standardError)")
            }
        }

        @Test func `The four examples take a broadcast with pause, annotation and sound`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let broadcast = studio.broadcast
                for name in ["frame-counter", "save-stream", "clip-folder", "keyframe-watch"] {
                    try install(name, for: broadcast)
                }
                let folder = studio.folder
                try broadcast.writeConfiguration(
                    """
                    [destinations.clips-of-it]
                    extension = "clip-folder"
                    setup = { folder = "\(folder)/clips" }
                    [destinations.watch]
                    extension = "keyframe-watch"
                    setup = { log = "\(folder)/watch.txt" }
                    [destinations.count]
                    extension = "frame-counter"
                    setup = { summary = "\(folder)/summary.json" }
                    """)
                let peer = try await studio.startLive(
                    [
                        "--title", "A talk", "--to", "count", "--to", "save-stream", "--to", "clips-of-it", "--to",
                        "watch",
                    ])
                try await studio.waitUntilElapsed(5.5, of: peer)
                #expect(try await broadcast.statusText().contains("https://example.com/watch"))
                #expect(try await broadcast.run(["pause"]).status == .exited(0))
                #expect(try await broadcast.run(["resume"]).status == .exited(0))
                #expect(try await broadcast.run(["annotate", "subject=frames"]).status == .exited(0))
                try await studio.waitUntilElapsed(7, of: peer)
                #expect(try await broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")

                let summary = try #require(try object(folder + "/summary.json") as? [String: Any])
                let samples = try #require(summary["samples"] as? [String: Int])
                #expect((samples["screen"] ?? 0) > 150 && (samples["mixed"] ?? 0) > 250)
                let events = try #require(summary["events"] as? [String])
                #expect(
                    events.filter { $0 != "annotate" } == ["start", "clock", "pause", "resume", "finish"]
                        && events.contains("annotate"))

                let notes = try String(contentsOfFile: folder + "/watch.txt", encoding: .utf8).split(separator: "\n")
                #expect(notes.first == "started A talk: screen" && notes.last?.hasPrefix("finished after") == true)
                // The first at the start, the second because it asked for one after ten pictures: not by the clock.
                let keyframes = notes.filter { $0.hasPrefix("keyframe at") }.compactMap {
                    Int($0.split(separator: " ")[2])
                }
                #expect(
                    keyframes.count >= 4 && zip(keyframes, keyframes.dropFirst()).contains { $1 - $0 < 1500 },
                    "\(keyframes)")

                let index = try #require(try object(folder + "/clips/index.json") as? [[String: Any]])
                #expect(index.count >= 2)
                for entry in index {
                    let file = try #require(entry["file"] as? String)
                    let clip = MediaFile(path: folder + "/clips/" + file, peers: studio.peers)
                    try await clip.expectDecodable()
                    let output = try await studio.peers.run(
                        "ffprobe",
                        [
                            "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
                            "packet=flags:format=duration", "-of", "csv=p=0",
                            clip.path,
                        ])
                    #expect(output.hasPrefix("K"), "a clip starts with a keyframe: \(output.prefix(20))")
                    let duration = try #require(output.split(separator: "\n").last.flatMap { Double($0) })
                    #expect(abs(duration - (entry["duration"] as? Double ?? 0)) < 0.3)
                }
                let left = try FileManager.default.contentsOfDirectory(
                    atPath: broadcast.home + "/state/broadcast/clips")
                #expect(left == [])
                try await MediaFile(path: broadcast.home + "/save-stream.mkv", peers: studio.peers).expectDecodable()
            }
        }

        @Test func `Raw pictures and PCM come as they are`() async throws {
            try await withStudio(["clock", "--beep"], width: 64, height: 48) { studio in
                let script = """
                    #!/usr/bin/env python3
                    import struct, sys, json
                    print('{"hello":1}', flush=True)
                    header, sizes, peak = struct.Struct("<4sIBBHIqq"), {0: set(), 3: set()}, 0
                    while data := sys.stdin.buffer.read(32):
                        _, length, kind, track, flags, sequence, pts, dts = header.unpack(data)
                        payload = sys.stdin.buffer.read(length)
                        if kind == 83:
                            sizes[track].add(length)
                            if track == 3: peak = max(peak, *map(abs, struct.unpack("<%dh" % (length // 2), payload)))
                    json.dump({"screen": sorted(sizes[0]), "mixed": sorted(sizes[3]), "peak": peak}, open("sizes", "w"))
                    """
                try Self.write("raw", script: script, for: studio.broadcast)
                let folder = studio.broadcast.home + "/data/broadcast/extensions/raw"
                let manifest =
                    try String(contentsOfFile: folder + "/extension.toml", encoding: .utf8)
                    + "video = \"i420\"\naudio = \"s16le\"\n"
                try manifest.write(toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
                try await studio.record(["--duration", "3s", "--to", "raw", "--to", studio.path("out.mp4")])
                let sizes = try #require(try object(folder + "/sizes") as? [String: Any])
                #expect(sizes["screen"] as? [Int] == [64 * 48 * 3 / 2])
                let blocks = try #require(sizes["mixed"] as? [Int])
                #expect(blocks.count == 1 && (blocks.first ?? 1) % 4 == 0 && (blocks.first ?? 0) > 0)
                #expect(sizes["peak"] as? Int ?? 0 > 3000)
                try await studio.media("out.mp4").expectDecodable()
            }
        }

        @Test func `Opus comes in packets of 20 ms, which decode to the sound`() async throws {
            try await withStudio(["clock", "--beep"], width: 64, height: 48) { studio in
                let script = """
                    #!/usr/bin/env python3
                    import ctypes, struct, sys, json
                    print('{"hello":1}', flush=True)
                    opus = ctypes.CDLL("libopus.so.0")
                    opus.opus_decoder_create.restype = ctypes.c_void_p
                    decoder = opus.opus_decoder_create(48000, 2, None)
                    header, samples = struct.Struct("<4sIBBHIqq"), (ctypes.c_short * 11520)()
                    head, times, lengths, peak = "", [], set(), 0
                    while data := sys.stdin.buffer.read(32):
                        _, length, kind, track, flags, sequence, pts, dts = header.unpack(data)
                        payload = sys.stdin.buffer.read(length)
                        if track == 3 and kind == 67: head = payload.hex()
                        if track == 3 and kind == 83:
                            times.append(pts)
                            count = opus.opus_decode(ctypes.c_void_p(decoder), payload, length, samples, 5760, 0)
                            lengths.add(count)
                            peak = max(peak, *map(abs, samples[:2 * count]))
                    steps = sorted({round((b - a) / 1e6) for a, b in zip(times, times[1:])})
                    result = {"head": head, "first": times[0], "steps": steps, "lengths": list(lengths), "peak": peak}
                    json.dump(result, open("sound", "w"))
                    """
                try Self.write("opus", script: script, for: studio.broadcast)
                let folder = studio.broadcast.home + "/data/broadcast/extensions/opus"
                let manifest =
                    try String(contentsOfFile: folder + "/extension.toml", encoding: .utf8) + "audio = \"opus\"\n"
                try manifest.write(toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
                // The recording gets AAC of the same sound.
                try await studio.record(["--duration", "3s", "--to", "opus", "--to", studio.path("out.mp4")])
                let sound = try #require(try object(folder + "/sound") as? [String: Any])
                // OpusHead, version 1, two channels, 312 samples to skip, 48 kHz, no gain.
                #expect(sound["head"] as? String == "4f707573486561640102380180bb0000000000")
                #expect(sound["steps"] as? [Int] == [20] && sound["lengths"] as? [Int] == [960])
                let first = try #require(sound["first"] as? Int)
                #expect((first + 6_500_000) % 20_000_000 == 0, "the encoder's delay of 6.5 ms is known")
                #expect(sound["peak"] as? Int ?? 0 > 3000)
                try await studio.media("out.mp4").expectDecodable()
            }
        }

        @Test func `What an extension says on standard error is in the log, and not on the terminal`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                let script = "#!/bin/sh\necho '{\"hello\":1}'\necho 'a word of its own' >&2\nexec cat > /dev/null\n"
                try Self.write("talk", script: script, for: studio.broadcast)
                let result = try await studio.broadcast.run(["start", "--to", "talk", "--duration", "1s"])
                #expect(result.status == .exited(0) && !result.errors.contains("a word of its own"), "\(result.errors)")
                #expect(try await studio.broadcast.run(["logs"]).output.contains("a word of its own"))
            }
        }

        @Test func `An extension dies with a killed host`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try Self.write(
                    "stay", script: "#!/bin/sh\necho $$ > pid\necho '{\"hello\":1}'\nexec sleep 100\n",
                    for: studio.broadcast)
                let peer = try await studio.startLive(["--to", "stay"])
                let text = try String(
                    contentsOfFile: studio.broadcast.home + "/data/broadcast/extensions/stay/pid", encoding: .utf8)
                let pid = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                #expect(kill(pid, 0) == 0)
                try await peer.killNow()
                try await waitUntil("the extension's end", deadline: .seconds(5)) {
                    // Whoever adopts it may be slow to reap it.
                    let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
                    return status.isEmpty || status.contains("State:\tZ")
                }
            }
        }

        @Test func `Extensions are listed, and one that others may write is refused`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers, display: missingDisplay)
                try install("frame-counter", for: broadcast)
                try Self.write("open", script: "#!/bin/sh\n", for: broadcast)
                let folder = broadcast.home + "/data/broadcast/extensions/open"
                try FileManager.default.setAttributes([.posixPermissions: 0o702], ofItemAtPath: folder + "/program")
                let list = try await broadcast.run(["list-extensions"])
                #expect(
                    list.status == .exited(0) && list.output.contains("frame-counter")
                        && list.output.contains("chmod go-w"))
                let result = try await broadcast.run(["start", "--to", "open"])
                #expect(result.status == .exited(78))
                expectSentence(in: result.errors, saying: [folder + "/program", "chmod go-w"])
                try "name = \"open\"\nexec = \"./program\"\nmode = \"sampels\"\n".write(
                    toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
                let wrong = try await broadcast.run(["start", "--to", "open"])
                #expect(wrong.status == .exited(78))
                expectSentence(in: wrong.errors, saying: ["extension.toml:3: mode:", "sampels"])
            }
        }

        @Test func `check-extension says what an extension does wrong`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                // A copy: a checkout that a group may write to is rejected, rightly.
                try install("frame-counter", for: broadcast)
                let good = try await broadcast.run([
                    "check-extension", broadcast.home + "/data/broadcast/extensions/frame-counter",
                ])
                #expect(good.status == .exited(0), "\(good.errors)")
                try Self.write("silent", script: "#!/bin/sh\nexec cat > /dev/null\n", for: broadcast)
                let result = try await broadcast.run([
                    "check-extension", broadcast.home + "/data/broadcast/extensions/silent",
                ])
                #expect(result.status == .exited(1))
                expectSentence(in: result.errors, saying: ["{\"hello\":1}", "5 s"])
            }
        }

        @Test func `check-extension accepts the name of an installed extension`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try install("frame-counter", for: broadcast)
                let good = try await broadcast.run(["check-extension", "frame-counter"])
                #expect(
                    good.status == .exited(0) && good.output.contains("frame-counter follows the protocol"), "\(good)")
                for (name, words) in [("nosuch", "no extension of that name"), ("rtmp", "part of this program")] {
                    let result = try await broadcast.run(["check-extension", name])
                    #expect(result.status == .exited(66))
                    expectSentence(in: result.errors, saying: [name, words])
                }
            }
        }

        @Test func `check-extension continues after a fault, and reports all of them`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                let folder = broadcast.home + "/data/broadcast/extensions/odd"
                try Self.write(
                    "odd",
                    script:
                        "#!/bin/sh\necho '{\"hello\":2}'\necho hello\necho again\nhead -c 70000 /dev/zero\ncat > /dev/null\nexit 3\n",
                    for: broadcast)
                let result = try await broadcast.run(["check-extension", folder])
                #expect(result.status == .exited(1))
                expectSentence(in: result.errors, saying: ["exit status 3"])
                for words in ["version 2", "is not a reply.", "64 KiB"] {
                    #expect(result.errors.components(separatedBy: words).count == 2, "\(words): \(result.errors)")
                }
                // One that works as long as there is something to do.
                try Self.write(
                    "odd",
                    script: "#!/bin/sh\necho '{\"hello\":1}'\n[ $(head -c 2000 | wc -c) = 2000 ] && cat > /dev/null\n",
                    for: broadcast)
                let short = try await broadcast.run(["check-extension", folder])
                #expect(short.status == .exited(1))
                expectSentence(in: short.errors, saying: ["before its first picture", "exit status 1"])
                try "name = \"file\"\nmode = \"sampels\"\ncolour = 1\nvideo = \"vp8\"\nexec = \"./program\"\n".write(
                    toFile: folder + "/extension.toml", atomically: true, encoding: .utf8)
                let manifest = try await broadcast.run(["check-extension", folder])
                #expect(manifest.status == .exited(78))
                for words in ["1: name:", "2: mode:", "3: colour:", "4: video:"] {
                    #expect(manifest.errors.contains("extension.toml:" + words), "\(manifest.errors)")
                }
            }
        }
    }

    /// Extensions that do everything wrong, beside a file whose frames are counted.
    struct ExtensionTimingTests {
        @Test func `Extensions that crash, hang, flood and never finish cost a file beside them no frame`() async throws
        {
            try await withStudio(width: 640, height: 360, hasSound: false) { studio in
                let hello = "#!/bin/sh\necho '{\"hello\":1}'\n"
                for (name, script) in [
                    ("crash", hello + "sleep 1\nkill -SEGV $$\n"), ("hang", hello + "exec sleep 100\n"),
                    ("flood", hello + "sleep 1\nexec yes '{\"status\":\"x\"}'\n"),
                    ("nonsense", hello + "sleep 1\necho hello\nexec sleep 100\n"),
                    ("deaf", hello + "trap '' TERM\ncat > /dev/null\nwhile :; do sleep 1; done\n"),
                    ("refused", hello + "sleep 1\necho '{\"error\":{\"code\":403,\"message\":\"Forbidden\"}}'\n"),
                ] { try ExtensionTests.write(name, script: script, for: studio.broadcast) }
                let names = ["refused", "crash", "hang", "flood", "nonsense", "deaf"]
                let result = try await studio.broadcast.run(
                    ["start", "--frame-pacing", "constant", "--duration", "4s", "--to", studio.path("out.mp4")]
                        + names.flatMap { ["--to", $0] },
                    deadline: .seconds(60))
                // The first failure in the order of --to.
                #expect(result.status == .exited(77), "\(result.errors)")
                for words in ["Forbidden (403)", "signal 11", "floods", "not a reply", "did not exit within 5 s"] {
                    #expect(result.errors.contains(words), "\(words): \(result.errors)")
                }
                #expect(result.errors.contains("hang: failed."), "\(result.errors)")
                let file = MediaFile(path: studio.path("out.mp4"), peers: studio.peers)
                try await file.expectDecodable()
                let output = try await studio.peers.run(
                    "ffprobe",
                    [
                        "ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of",
                        "csv=p=0", file.path,
                    ])
                let times = output.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }.sorted()
                // A machine that is busy at the end leaves out the last frames, which no later one fills.
                let last = try #require(times.last)
                #expect(
                    times.count <= 123 && last > 3.5 && abs(Double(times.count) - (last * 30 + 1)) < 1.5,
                    "\(times.count) frames up to \(last) s")
                #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 0.05 })
            }
        }
    }
}
