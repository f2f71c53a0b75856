import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Live by WebRTC, to aiortc and Janus as the servers.
    struct WHIPBroadcastTests {
        @Test func `A server decodes picture and sound, gets a keyframe when it asks, and is told the end`()
            async throws
        {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.start(in: studio.peers, options: ["--pli", "0.5"])
                let session = try await studio.startLive(["--to", server.url])
                try await server.wait(for: "the picture") {
                    $0.event == "picture" && $0.width == 640 && $0.height == 360 && ($0.spread ?? 0) > 10
                }
                try await server.wait(for: "the sound") { $0.event == "sound" && ($0.loudest ?? 0) > 3000 }
                // Without being asked, one comes in ten seconds.
                try await server.wait(for: "keyframes") { ($0.keyframes ?? 0) >= 4 }
                let offer = try #require(server.events.first { $0.event == "offer" }?.profile?.first)
                #expect(offer.contains("packetization-mode=1;profile-level-id=42c0"), "\(offer)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                try await server.wait(for: "the end") { $0.event == "delete" }
            }
        }

        @Test func `Where only a relay reaches the server, the broadcast goes through it`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let relay = try await TURNServer.start(in: studio.peers)
                let server = try await WHIPServer.start(
                    in: studio.peers, options: ["--relay", relay.link, "--relay-ports", relay.ports])
                let session = try await studio.startLive(["--to", server.url])
                try await server.wait(for: "the picture") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                try await server.wait(for: "the sound") { $0.event == "sound" && ($0.loudest ?? 0) > 3000 }
                let status = try await studio.broadcast.run(["status"])
                #expect(status.output.contains("connected through a relay"), "\(status)")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                try await server.wait(for: "the end") { $0.event == "delete" }
                // The address at the relay is given back.
                try await relay.peer.wait(for: "its end") { relay.peer.standardOutput.contains("lifetime=0") }
            }
        }

        @Test func `Janus records picture and sound`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.startJanus(in: studio.peers)
                let session = try await studio.startLive(["--to", server.url])
                try await server.wait(for: "the connection") { $0.event == "up" }
                try await session.wait(for: "some pictures") { (try await studio.status()?.elapsed ?? 0) > 6 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                #expect(try await session.waitForExit() == .exited(0))
                for kind in ["video", "audio"] {
                    try await server.wait(for: "the recording of \(kind)") { $0.event == "recorded" && $0.kind == kind }
                    let path = try #require(server.events.last { $0.kind == kind }?.path)
                    if kind == "audio" {
                        let beeps = BeepFinder.beeps(in: try await AudioDecoder.decode(path, in: studio.peers))
                        #expect(beeps.count >= 4, "\(beeps)")
                    } else {
                        try await MediaFile(path: path, peers: studio.peers).expectDecodable()
                        let packets = try await FFProbe.packets(of: path, in: studio.peers)
                        // 30 a second; a busy machine misses some.
                        #expect(packets.count > 90, "\(packets.count)")
                    }
                }
            }
        }

        @Test func `A server without the right token is not signed in to, and the token is shown nowhere`() async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let token = "canary-7Q2x"
                let server = try await WHIPServer.start(in: studio.peers, options: ["--token", token])
                let refused = try await studio.broadcast.run(["start", "--to", server.url])
                #expect(refused.status == .exited(77), "\(refused)")
                expectSentence(in: refused.errors, saying: ["token", "broadcast setup whip"])

                try studio.broadcast.writeConfiguration(
                    "[destinations.stage]\nextension = \"whip\"\nurl = \"http://127.0.0.1:\(server.port)/whip\"\n")
                let path = studio.folder + "/token"
                try token.write(toFile: path, atomically: true, encoding: .utf8)
                let setup = try await studio.broadcast.run(
                    ["setup", "stage", "--plain-file", "--secret-from-stdin", "token"], input: .file(path))
                #expect(setup.status == .exited(0), "\(setup)")
                let session = try await studio.startLive(["--to", "stage"])
                try await server.wait(for: "the picture") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                let log = try await studio.broadcast.run(["logs"])
                #expect(!"\(refused)\(setup)\(log)\(session.standardError)".contains(token))
            }
        }

        @Test func `A server that is killed and started again gets the broadcast again`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let first = try await WHIPServer.start(in: studio.peers)
                let session = try await studio.startLive(["--to", first.url])
                try await first.wait(for: "the picture") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                // It cannot say good-bye: the silence is noticed.
                _ = try await first.peer.killNow()
                try await session.wait(for: "word of it", deadline: .seconds(60)) {
                    session.standardError.contains("has not answered")
                }
                let second = try await WHIPServer.start(in: studio.peers, port: first.port)
                try await second.wait(for: "the picture again") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                #expect(try await studio.status()?.destinations.first?.state == "live")
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A server that sends on to another one is followed, until the end`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.start(in: studio.peers)
                _ = try await studio.startLive(["--to", "whip:http://127.0.0.1:\(server.port)/moved"])
                try await server.wait(for: "the picture") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await server.wait(for: "the end") { $0.event == "delete" }
            }
        }

        @Test func `A server that is busy is asked again when it says so`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.start(in: studio.peers, options: ["--busy", "4"])
                _ = try await studio.startLive(["--to", server.url])
                let refused = try #require(server.events.first { $0.event == "busy" }?.time)
                let accepted = try #require(server.events.first { $0.event == "offer" }?.time)
                #expect(accepted - refused >= 4)
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
            }
        }

        @Test func `A stop before the server has answered ends the session there, too`() async throws {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.start(in: studio.peers, options: ["--slow", "1"])
                let session = try studio.broadcast.start(["start", "--to", server.url])
                try await server.wait(for: "the offer") { $0.event == "offer" }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                _ = try await session.waitForExit()
                try await server.wait(for: "the end") { $0.event == "delete" }
                #expect(!server.events.contains { $0.event == "picture" })
            }
        }

        @Test func `A token follows to a server with another name and certificate only if its domain is named`()
            async throws
        {
            try await withStudio(["clock"], width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let (token, port) = ("canary-9R4z", try freePort())
                let certificates = try await Certificates.make(in: studio.peers)
                let first = try await Stunnel.start(
                    in: studio.peers, certificate: certificates.server(names: "DNS:localhost"), to: port)
                let second = try await Stunnel.start(
                    in: studio.peers, certificate: certificates.server(names: "IP:127.0.0.1"), to: port)
                let server = try await WHIPServer.start(
                    in: studio.peers, port: port,
                    options: ["--token", token, "--redirect", "https://127.0.0.1:\(second.port)/whip"])
                let configuration = """
                    [destinations.stage]
                    extension = "whip"
                    url = "https://localhost:\(first.port)/moved"
                    ca-file = "\(certificates.authority)"

                    """
                try studio.broadcast.writeConfiguration(configuration)
                let path = studio.folder + "/token"
                try token.write(toFile: path, atomically: true, encoding: .utf8)
                let setup = try await studio.broadcast.run(
                    ["setup", "stage", "--plain-file", "--secret-from-stdin", "token"], input: .file(path))
                #expect(setup.status == .exited(0), "\(setup)")
                let refused = try await studio.broadcast.run(["start", "--to", "stage"])
                #expect(refused.status != .exited(0))
                expectSentence(in: refused.errors, saying: ["sends to another one", "127.0.0.1"])
                #expect(!server.events.contains { $0.event == "offer" || $0.event == "refused" })

                try studio.broadcast.writeConfiguration(configuration + "setup.redirect-domains = \"127.0.0.1\"\n")
                _ = try await studio.startLive(["--to", "stage"])
                try await server.wait(for: "the picture") { $0.event == "picture" && ($0.spread ?? 0) > 10 }
                #expect(try await studio.broadcast.run(["stop"]).status == .exited(0))
                try await server.wait(for: "the end") { $0.event == "delete" }
            }
        }

        @Test func `What is no WHIP endpoint is explained`() async throws {
            try await withStudio(width: 320, height: 240, hasSound: false) { studio in
                try await ShippedExtensions.lay(in: studio.peers)
                let server = try await WHIPServer.start(in: studio.peers)
                let missing = try await studio.broadcast.run(
                    ["start", "--to", "whip:http://127.0.0.1:\(server.port)/other"])
                #expect(missing.status != .exited(0))
                expectSentence(in: missing.errors, saying: ["no WHIP endpoint"])
                let wrong = try await studio.broadcast.run(["start", "--to", "whip:ftp://127.0.0.1/x"])
                #expect(wrong.status != .exited(0))
                expectSentence(in: wrong.errors, saying: ["https://HOST/PATH"])
            }
        }
    }
}
