import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// RTMPS, to nginx behind stunnel.
    struct SecureBroadcastTests {
        /// A config with the destination `mine` on that port, whose key is `key`.
        private func configuration(port: Int, _ lines: String = "") -> String {
            """
            [destinations.mine]
            extension = "rtmp"
            url = "rtmps://localhost:\(port)/live"
            key-command = "echo key"
            \(lines)
            """
        }

        @Test func `With ca-file, a server is trusted whose certificate a private authority issued`() async throws {
            try await withStudio(["clock", "--beep"], width: 640, height: 360) { studio in
                let certificates = try await Certificates.make(in: studio.peers)
                let recordings = try studio.peers.makeFolder("nginx-recordings")
                let server = try await NginxRTMP.start(in: studio.peers, live: "record all; record_path \(recordings);")
                let tunnel = try await Stunnel.start(
                    in: studio.peers, certificate: certificates.server(names: "DNS:localhost"), to: server.port)
                try studio.broadcast.writeConfiguration(
                    configuration(port: tunnel.port, "ca-file = \"\(certificates.authority)\""))
                let peer = try await studio.startLive(["--to", "mine"])
                try await studio.broadcast.waitForMoreSeconds(3, of: peer)
                let stop = try await studio.broadcast.run(["stop"])
                #expect(stop.status == .exited(0) && stop.output.contains("rtmps://localhost:\(tunnel.port)/live/…"))
                #expect(try await peer.waitForExit() == .exited(0))
                try await waitUntil("nginx logs the end") { server.accessLog.contains("PUBLISH") }
                let probe = try await FFProbe.probe("\(recordings)/key.flv", in: studio.peers)
                #expect(try #require(probe.video?.frameCount.flatMap { Int($0) }) > 30)
                #expect(probe.audio?.codec == "aac")
            }
        }

        @Test func `An untrusted certificate is reported with the next step`() async throws {
            try await withStudio(width: 320, height: 240) { studio in
                let certificates = try await Certificates.make(in: studio.peers)
                let server = try await NginxRTMP.start(in: studio.peers)
                let old = try await certificates.server(
                    names: "DNS:localhost", validity: ("20200101000000Z", "20200201000000Z"))
                let expired = try await Stunnel.start(in: studio.peers, certificate: old, to: server.port)
                let good = try await Stunnel.start(
                    in: studio.peers, certificate: certificates.server(names: "DNS:localhost"), to: server.port)
                for (port, lines, words) in [
                    (expired.port, "ca-file = \"\(certificates.authority)\"", ["localhost", "has expired", "clock"]),
                    (good.port, "", ["localhost", "not trusted", "ca-file"]),
                ] {
                    try studio.broadcast.writeConfiguration(configuration(port: port, lines))
                    let result = try await studio.broadcast.run(["start", "--to", "mine"])
                    #expect(result.status == .exited(69))
                    expectSentence(in: result.errors, saying: words)
                }
            }
        }

        @Test func `A ca-file that cannot be read is reported with its line`() async throws {
            try await withPeers { peers in
                let broadcast = try BroadcastCommand(in: peers)
                try broadcast.writeConfiguration(configuration(port: 443, "ca-file = \"missing.pem\""))
                let missing = try await broadcast.run(["start", "--to", "mine"])
                #expect(missing.status == .exited(78))
                expectSentence(
                    in: missing.errors, saying: ["config.toml:5: destinations.mine.ca-file", "broadcast/missing.pem"])
                try broadcast.writeConfiguration("[destinations.mine]\nextension = \"file\"\nca-file = \"x\"\n")
                let wrong = try await broadcast.run(["start", "--to", "mine"])
                #expect(wrong.status == .exited(78))
                expectSentence(
                    in: wrong.errors, saying: ["config.toml:3", "ca-file", "the extension file does not read this key"])
            }
        }
    }
}
