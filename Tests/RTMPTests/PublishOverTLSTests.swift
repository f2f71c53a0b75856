import Foundation
import Media
import RTMP
import TestSupport
import Testing

/// RTMPS to nginx behind stunnel, with generated certificates.
struct PublishOverTLSTests {
    /// Expects that a connection fails like this, or succeeds if `expected` is nil.
    private func expect(
        _ port: Int, host: String = "localhost", caFile: String? = nil, deadlines: RTMPDeadlines = RTMPDeadlines(),
        fails expected: RTMPError?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let url = try RTMPURL("rtmps://\(host):\(port)/live/key")
        var failure: RTMPError?
        do throws(RTMPError) {
            _ = try await RTMPPublisher.connect(to: url, stream: .literal, caFile: caFile, deadlines: deadlines)
        } catch {
            failure = error
        }
        #expect(failure == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func `nginx behind TLS records every picture and sound`(host: String)
        async throws
    {
        try await withPeers { peers in
            let sample = try await SampleStream.make(in: peers)
            let certificates = try await Certificates.make(in: peers)
            let recordings = try peers.makeFolder("recordings")
            let server = try await NginxRTMP.start(in: peers, live: "record all; record_path \(recordings);")
            let tunnel = try await Stunnel.start(
                in: peers, certificate: certificates.server(names: "DNS:localhost,IP:127.0.0.1"), to: server.port)
            let publisher = try await RTMPPublisher.connect(
                to: RTMPURL("rtmps://\(host):\(tunnel.port)/live/key"), stream: sample.description,
                caFile: certificates.authority)
            for packet in sample.packets { try await publisher.send(packet) }
            #expect(await publisher.finish())
            try await waitUntil("the access log's line") { server.accessLog.contains("PUBLISH") }

            let counted = try await peers.run(
                "ffprobe",
                [
                    "ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=codec_type,nb_read_frames",
                    "-of", "csv=p=0",
                    "\(recordings)/key.flv",
                ])
            let first = try #require(sample.pictures.first).decodeTime
            #expect(counted.contains("video,\(sample.pictures.count)"), "\(counted)")
            #expect(counted.contains("audio,\(sample.sounds.filter { $0.decodeTime >= first }.count)"), "\(counted)")
        }
    }

    @Test func `an invalid certificate causes the matching error`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let server = try await NginxRTMP.start(in: peers)
            func tunnel(_ pair: Certificates.Pair) async throws -> Int {
                try await Stunnel.start(in: peers, certificate: pair, to: server.port).port
            }
            let good = try await tunnel(certificates.server(names: "DNS:localhost,IP:127.0.0.1"))
            try await expect(good, caFile: certificates.authority, fails: nil)
            try await expect(good, fails: .insecure(host: "localhost", .unknownIssuer))
            let expired = try await tunnel(
                certificates.server(names: "DNS:localhost", validity: ("20200101000000Z", "20200201000000Z")))
            try await expect(expired, caFile: certificates.authority, fails: .insecure(host: "localhost", .expired))
            let early = try await tunnel(
                certificates.server(names: "DNS:localhost", validity: ("20490101000000Z", "20490201000000Z")))
            try await expect(early, caFile: certificates.authority, fails: .insecure(host: "localhost", .notYetValid))
            let other = try await tunnel(certificates.server(names: "DNS:example.com"))
            try await expect(other, caFile: certificates.authority, fails: .insecure(host: "localhost", .wrongHost))
            try await expect(
                other, host: "127.0.0.1", caFile: certificates.authority,
                fails: .insecure(host: "127.0.0.1", .wrongHost))
            // The address of the peer is not the identity of the host that was asked for.
            let address = try await tunnel(certificates.server(names: "IP:127.0.0.1"))
            try await expect(address, caFile: certificates.authority, fails: .insecure(host: "localhost", .wrongHost))
            try await expect(address, host: "127.0.0.1", caFile: certificates.authority, fails: nil)
            let commonName = try await tunnel(certificates.server(names: nil, commonName: "localhost"))
            try await expect(
                commonName, caFile: certificates.authority, fails: .insecure(host: "localhost", .wrongHost))
            let client = try await tunnel(certificates.server(names: "DNS:localhost", usage: "clientAuth"))
            try await expect(
                client, caFile: certificates.authority, fails: .insecure(host: "localhost", .unknownIssuer))
            let own = try await tunnel(Certificates.make(in: peers).selfSigned)
            try await expect(own, caFile: certificates.authority, fails: .insecure(host: "localhost", .unknownIssuer))
        }
    }

    @Test func `a server with only old TLS versions has no version in common`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let tunnel = try await Stunnel.start(
                in: peers, certificate: certificates.server(names: "DNS:localhost"), to: 1,
                options: "sslVersionMin = TLSv1.1\nsslVersionMax = TLSv1.1\nciphers = ALL:@SECLEVEL=0")
            try await expect(
                tunnel.port, caFile: certificates.authority, fails: .insecure(host: "localhost", .nothingInCommon))
        }
    }

    @Test func `an invalid file of certificate authorities throws an error with its path`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("files")
            let missing = "\(folder)/missing.pem"
            try await expect(1, caFile: missing, fails: .unusableCertificateFile(path: missing, .system(code: ENOENT)))
            let empty = "\(folder)/empty.pem"
            try "no certificate".write(toFile: empty, atomically: false, encoding: .utf8)
            try await expect(1, caFile: empty, fails: .unusableCertificateFile(path: empty, .noCertificate))
        }
    }

    @Test func `a server without TLS causes the matching error`() async throws {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            try await expect(server.statisticsPort, fails: .insecure(host: "localhost", .notTLS))
            // nginx waits for the rest of a plain handshake.
            var deadlines = RTMPDeadlines()
            deadlines.securing = .milliseconds(300)
            try await expect(server.port, deadlines: deadlines, fails: .timedOut(.securing))
        }
    }
}
