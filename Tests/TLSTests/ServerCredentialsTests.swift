import Foundation
import NIOCore
import NIOEmbedded
import NIOTLS
import TLS
import TestSupport
import Testing

/// The server's side of `TLSHandler`, against the client's side, which the tests beside these compare with OpenSSL.
struct ServerCredentialsTests {
    /// Both ends of a connection without sockets.
    private struct Connection {
        let client: EmbeddedChannel
        let server: EmbeddedChannel

        init(_ credentials: ServerCredentials, trusting authority: String, host: String) throws {
            client = EmbeddedChannel(
                handler: try TLSHandler(TLSContext(authoritiesFile: authority), host: host))
            server = EmbeddedChannel(handler: try TLSHandler(credentials))
            for channel in [server, client] {
                try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            }
        }

        /// Passes bytes until both sides wait.
        func exchange() throws {
            while try Self.move(from: client, to: server) || Self.move(from: server, to: client) {}
        }

        /// Returns false if there was nothing to pass.
        private static func move(from sender: EmbeddedChannel, to receiver: EmbeddedChannel) throws -> Bool {
            guard let bytes = try sender.readOutbound(as: ByteBuffer.self) else { return false }
            try receiver.writeInbound(bytes)
            return true
        }
    }

    /// Returns the channel of a server. An embedded channel belongs to the thread that creates it.
    private static func makeServer(_ pair: Certificates.Pair) throws -> EmbeddedChannel {
        let credentials = try ServerCredentials(certificateFile: pair.certificate, keyFile: pair.key)
        let server = EmbeddedChannel(handler: try TLSHandler(credentials))
        try server.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return server
    }

    @Test func `A server and a client exchange bytes, and either side ends the connection`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let pair = try await certificates.server(names: "DNS:room.example,IP:192.168.1.5")
            let credentials = try ServerCredentials(certificateFile: pair.certificate, keyFile: pair.key)
            for isEndedByServer in [true, false] {
                let connection = try Connection(credentials, trusting: certificates.authority, host: "room.example")
                try connection.exchange()
                let long = ByteBuffer(repeating: 7, count: 200_000)
                connection.client.writeAndFlush(ByteBuffer(string: "question"), promise: nil)
                connection.server.writeAndFlush(long, promise: nil)
                try connection.exchange()
                #expect(try connection.server.readInbound() == ByteBuffer(string: "question"))
                var received = ByteBuffer()
                while var part = try connection.client.readInbound(as: ByteBuffer.self) { received.writeBuffer(&part) }
                #expect(received == long)
                let (ending, other) =
                    isEndedByServer
                    ? (connection.server, connection.client) : (connection.client, connection.server)
                ending.close(promise: nil)
                try connection.exchange()
                #expect(!other.isActive)
            }
        }
    }

    @Test func `A client that speaks no TLS is disconnected`() async throws {
        try await withPeers { peers in
            let pair = try await Certificates.make(in: peers).selfSigned
            let server = try Self.makeServer(pair)
            #expect(throws: TLSProblem.notTLS) {
                try server.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: room.example\r\n\r\n"))
            }
            #expect(!server.isActive)
        }
    }

    @Test func `The certificate says for which hosts it is`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let pair = try await certificates.server(
                names: "DNS:room.example,DNS:*.school.example,IP:192.168.1.5", commonName: "name.example")
            let credentials = try ServerCredentials(certificateFile: pair.certificate, keyFile: pair.key)
            for host in ["room.example", "ROOM.example", "a.school.example", "192.168.1.5"] {
                #expect(credentials.isFor(host), "\(host)")
            }
            for host in ["name.example", "school.example", "a.b.school.example", "192.168.1.6", "", "x y"] {
                #expect(!credentials.isFor(host), "\(host)")
            }
            #expect(!credentials.hasExpired)
            let old = try await certificates.server(
                names: "DNS:room.example", validity: ("20200101000000Z", "20210101000000Z"))
            #expect(try ServerCredentials(certificateFile: old.certificate, keyFile: old.key).hasExpired)
        }
    }

    @Test func `Files that are no credentials are refused with the reason`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let folder = try peers.makeFolder("files")
            let pair = certificates.selfSigned
            let other = try await certificates.server(names: "DNS:room.example")
            let (encrypted, rsa) = (folder + "/encrypted.key", folder + "/rsa.key")
            try await peers.run(
                "openssl-encrypt",
                ["openssl", "ec", "-aes128", "-passout", "pass:secret", "-in", pair.key, "-out", encrypted])
            try await peers.run("openssl-rsa", ["openssl", "genrsa", "-out", rsa, "2048"])
            let empty = folder + "/empty"
            try "".write(toFile: empty, atomically: true, encoding: .utf8)
            let cases: [(String, String, ServerCredentialsProblem)] = [
                (folder + "/none", pair.key, .unreadable(folder + "/none", code: ENOENT)),
                (pair.certificate, folder + "/none", .unreadable(folder + "/none", code: ENOENT)),
                (empty, pair.key, .noCertificate(empty)), (pair.key, pair.key, .noCertificate(pair.key)),
                (pair.certificate, empty, .noKey(empty)), (pair.certificate, encrypted, .noKey(encrypted)),
                (pair.certificate, other.key, .otherKey(other.key)), (pair.certificate, rsa, .otherKey(rsa)),
                (folder, pair.key, .noCertificate(folder)),
            ]
            for (certificate, key, problem) in cases {
                #expect(throws: problem, "\(certificate) \(key)") {
                    try ServerCredentials(certificateFile: certificate, keyFile: key)
                }
                #expect(problem.explanation.contains(folder) || problem.explanation.contains("key"))
            }
        }
    }
}
