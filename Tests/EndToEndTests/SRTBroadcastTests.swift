import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Live over SRT, to ffmpeg as the server.
    struct SRTBroadcastTests {
        private static let passphrase = "canary-7Q2x-canary"

        @Test func `A passphrase keeps the stream from others, and is shown nowhere`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let listener = try await SRTListener.start(in: studio.peers, passphrase: Self.passphrase)
                let open = try await studio.broadcast.run([
                    "start", "--to", "\(listener.url)?passphrase=\(Self.passphrase)",
                ])
                #expect(open.status == .exited(64) && !open.errors.contains(Self.passphrase))
                expectSentence(in: open.errors, saying: ["broadcast setup srt"])

                try studio.broadcast.writeConfiguration(
                    "[destinations.far]\nextension = \"srt\"\nsetup = { url = \"\(listener.url)\" }\n")
                try await sign(in: "not-the-passphrase", studio)
                let refused = try await studio.broadcast.run(["start", "--to", "far"])
                #expect(refused.status == .exited(77), "\(refused.errors)")
                expectSentence(in: refused.errors, saying: ["127.0.0.1:\(listener.port)", "passphrase"])

                try await sign(in: Self.passphrase, studio)
                let peer = try await studio.startLive(["--to", "far"])
                try await peer.wait(for: "the connection") {
                    try await studio.broadcast.statusText().contains("connected")
                }
                try await studio.waitUntilElapsed(2, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await listener.peer.waitForExit()
                try await MediaFile(path: listener.output, peers: studio.peers).expectDecodable()
                for text in [refused.errors, peer.standardError] {
                    #expect(!text.contains(Self.passphrase) && !text.contains("not-the-"))
                }
            }
        }

        @Test func `Packets come from the address that was chosen, and a proxy is refused`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let refused = try await studio.broadcast.run([
                    "start", "--to", "srt://127.0.0.1:9", "--proxy", "socks5://127.0.0.1:9",
                ])
                #expect(refused.status == .exited(64), "\(refused.errors)")
                expectSentence(in: refused.errors, saying: ["srt", "proxy"])
                let listener = try await SRTListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", listener.url, "--bind", "127.0.0.2"])
                try await peer.wait(for: "the connection") {
                    try await studio.broadcast.statusText().contains("connected")
                }
                // The local addresses of sockets, in hexadecimal.
                #expect(textOfProc("/proc/net/udp").contains(" 0200007F:"))
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A server that comes back gets tables and a keyframe first`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let first = try await SRTListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", first.url, "--keyframe-interval", "30"])
                try await peer.wait(for: "the connection") {
                    try await studio.broadcast.statusText().contains("connected")
                }
                try await studio.waitUntilElapsed(1, of: peer)
                try await first.peer.killNow()
                try await peer.wait(for: "a state that says so") {
                    let destination = try await studio.status()?.destinations.first
                    return destination?.state == "reconnecting"
                        && destination?.error?.message.contains("The connection is lost") == true
                }
                let second = try await SRTListener.start(in: studio.peers, port: first.port)
                // The extension reports the text and the state one after the other.
                try await peer.wait(for: "the second connection") {
                    guard try await studio.broadcast.statusText().contains("connected again") else { return false }
                    return try await studio.status()?.destinations.map(\.state) == ["live"]
                }
                let status = try #require(try await studio.status())
                #expect(status.destinations.map(\.reconnects) == [1])
                let elapsed = status.elapsed
                try await studio.waitUntilElapsed(elapsed + 2, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await second.peer.waitForExit()
                let media = MediaFile(path: second.output, peers: studio.peers)
                try await media.expectDecodable()
                #expect(try await media.clock().readings.count > 30)
            }
        }

        /// localhost is ::1 first, where a machine has it.
        @Test func `Where a name has several addresses, each is called`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let listener = try await SRTListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", "srt://localhost:\(listener.port)"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        @Test func `A destination is live only after the server has answered`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let port = try freePort()
                let peer = try studio.broadcast.start(["start", "--to", "srt://127.0.0.1:\(port)"])
                try await peer.wait(for: "a call without an answer") {
                    try await studio.broadcast.statusText().contains("calling 127.0.0.1:\(port) again")
                }
                let early = try #require(try await studio.status())
                #expect(early.state == "starting" && early.destinations.map(\.state) == ["connecting"])
                let listener = try await SRTListener.start(in: studio.peers, port: port)
                _ = try await peer.waitForErrorLine(containing: "session default: live")
                try await studio.broadcast.waitForMoreSeconds(1, of: peer)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await listener.peer.waitForExit()
                try await MediaFile(path: listener.output, peers: studio.peers).expectDecodable()

                // Stopped before anybody answered: as asked.
                let second = try studio.broadcast.start(["start", "--to", "srt://127.0.0.1:\(port)"])
                try await second.wait(for: "the call") {
                    try await studio.status()?.destinations.map(\.state) == ["connecting"]
                }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await second.waitForExit() == .exited(0), "\(second.standardError)")
            }
        }

        @Test func `A server that cannot be reached is an error, and its destination is never live`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let result = try await studio.broadcast.run([
                    "start", "--detach", "--to", "srt://127.0.0.1:\(try freePort())",
                ])
                #expect(result.status == .exited(69) && !result.errors.contains("live"), "\(result.errors)")
                expectSentence(in: result.errors, saying: ["cannot be reached"])
            }
        }

        @Test func `A wrong setting is a usage error in an address, and a configuration error in the config`()
            async throws
        {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                for (address, word) in [
                    ("srt://127.0.0.1:9?latency=soon", "latency"), ("srt://127.0.0.1:9?latnecy=100", "latnecy"),
                ] {
                    let result = try await studio.broadcast.run(["start", "--to", address])
                    #expect(result.status == .exited(64), "\(result.errors)")
                    expectSentence(in: result.errors, saying: [word])
                }
                try studio.broadcast.writeConfiguration(
                    "[destinations.far]\nextension = \"srt\"\nurl = \"srt://127.0.0.1:9\"\nsetup = { pbkeylen = \"17\" }\n"
                )
                let configured = try await studio.broadcast.run(["start", "--to", "far"])
                #expect(configured.status == .exited(78), "\(configured.errors)")
                expectSentence(in: configured.errors, saying: ["pbkeylen", "broadcast setup far"])
            }
        }

        @Test func `A listener serves one receiver after another, each from a keyframe on`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let port = try freePort()
                let peer = try await studio.startLive([
                    "--to", "srt://:\(port)?mode=listener", "--keyframe-interval", "30",
                ])
                #expect(try await studio.broadcast.statusText().contains("waits for a receiver on port \(port)"))
                for number in 1...2 {
                    let file = studio.path("received-\(number).ts")
                    try await studio.peers.run(
                        "ffmpeg",
                        [
                            "ffmpeg", "-nostdin", "-v", "error", "-i", "srt://127.0.0.1:\(port)?mode=caller", "-t", "3",
                            "-c", "copy", "-y", file,
                        ])
                    try await MediaFile(path: file, peers: studio.peers).expectDecodable()
                    #expect(try await MediaFile(path: file, peers: studio.peers).clock().readings.count > 30)
                    try await peer.wait(for: "the next receiver") {
                        try await studio.broadcast.statusText().contains("waits for a receiver")
                    }
                }
                #expect(try await studio.status()?.destinations.map(\.state) == ["live"])
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
            }
        }

        private nonisolated(nonsending) func sign(in passphrase: String, _ studio: Studio) async throws {
            let result = try await studio.broadcast.run(
                ["setup", "far", "--plain-file", "--secret-from-stdin", "passphrase"], reading: passphrase + "\n")
            #expect(result.status == .exited(0), "\(result.errors)")
        }
    }

    /// How sound lies to picture over SRT, and the bitrate.
    struct SRTTimingTests {
        @Test
        func
            `A server gets picture and sound up to the end, and one that acknowledges only what arrives does not lower the bitrate`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 1280, height: 720) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let (listener, late) = (
                    try await SRTListener.start(in: studio.peers), try await SRTListener.start(in: studio.peers)
                )
                let port = try freePort()
                let relay = try studio.peers.start(
                    "lazyack", FaultProgram.command("lazyack.py", "\(port)", "\(late.port)"))
                try await relay.wait(for: "its port") { isBoundForDatagrams(port) }
                let peer = try await studio.startLive(
                    ["--to", listener.url + "?latency=200", "--to", "srt://127.0.0.1:\(port)", "--bitrate", "2500"])
                try await studio.waitUntilElapsed(10, of: peer)
                let status = try #require(try await studio.status())
                #expect(status.video?.targetKbps == 2500 && status.destinations.map(\.dropped) == [0, 0])
                let stop = try await studio.broadcast.run(["stop"])
                #expect(
                    stop.status == .exited(0) && stop.output.contains(listener.url) && !stop.output.contains("latency"))
                #expect(try await peer.waitForExit() == .exited(0), "\(peer.standardError)")
                for listener in [listener, late] {
                    try await listener.peer.waitForExit()
                    try await MediaFile(path: listener.output, peers: studio.peers).expectDecodable()
                }
                try await MediaFile(path: listener.output, peers: studio.peers).expectClockAndBeeps(seconds: 9)
            }
        }
    }

    /// How long a stop takes.
    struct SRTDeadlineTests {
        @Test func `A stop while the server is away does not wait for the next call`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let listener = try await SRTListener.start(in: studio.peers)
                let peer = try await studio.startLive(["--to", listener.url])
                try await studio.waitUntilElapsed(1, of: peer)
                try await listener.peer.killNow()
                try await peer.wait(for: "the outage") {
                    try await studio.status()?.destinations.first?.state == "reconnecting"
                }
                // After an unanswered call it pauses for seconds before the next one.
                try await peer.wait(for: "an unanswered call") {
                    try await studio.broadcast.statusText().contains("calling 127.0.0.1:\(listener.port) again")
                }
                let begin = ContinuousClock.now
                _ = try await studio.broadcast.run(["stop"])
                _ = try await peer.waitForExit()
                #expect(ContinuousClock.now - begin < .seconds(2))
            }
        }
    }
}
