import COpenSSL
import Foundation
import NIOCore
import NIOEmbedded
import TLS
import TestSupport
import Testing

/// The client's handler in a channel without a socket, with a server of OpenSSL.
struct TLSHandlerTests {
    /// Runs `body` with a server for `localhost`, which is not connected yet.
    private func withServer(
        ciphers: String? = nil, maximumVersion: Int32 = 0, _ body: (ServerSide) throws -> Void
    ) async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let pair = try await certificates.server(names: "DNS:localhost")
            let client = try TLSContext(authoritiesFile: certificates.authority)
            try body(
                ServerSide(pair, client: client, host: "localhost", ciphers: ciphers, maximumVersion: maximumVersion))
        }
    }

    /// Returns what the client reports about a server that presents `pair`; nil if the handshake completes.
    private func problem(_ pair: Certificates.Pair, _ client: TLSContext, host: String = "localhost") throws
        -> TLSProblem?
    {
        let server = try ServerSide(pair, client: client, host: host)
        do {
            try server.connect()
            return nil
        } catch let problem as TLSProblem {
            #expect(!server.isSecure && !server.channel.isActive)
            return problem
        }
    }

    // MARK: Handshake

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func `Bytes are carried in both directions`(version: Int32)
        async throws
    {
        try await withServer(maximumVersion: version) { server in
            try server.connect()
            #expect(server.isSecure)
            server.send(Array("answer".utf8))
            try server.channel.writeOutbound(ByteBuffer(string: "question"))
            try server.exchange()
            #expect(server.received == Array("question".utf8) && server.delivered == Array("answer".utf8))
        }
    }

    @Test func `Bytes that are written before the end of the handshake are sent after it, in order`() async throws {
        try await withServer { server in
            let first = server.channel.eventLoop.makePromise(of: Void.self)
            server.channel.write(ByteBuffer(string: "one "), promise: first)
            server.channel.writeAndFlush(ByteBuffer(string: "two "), promise: nil)
            // This is flushed later.
            server.channel.write(ByteBuffer(string: "three"), promise: nil)
            try server.connect()
            try first.futureResult.wait()
            #expect(server.received == Array("one two ".utf8))
            server.channel.flush()
            try server.exchange()
            #expect(server.received == Array("one two three".utf8))
        }
    }

    @Test func `A large write arrives completely, and its promise completes with its last byte`() async throws {
        try await withServer { server in
            try server.connect()
            let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let written = server.channel.writeAndFlush(ByteBuffer(bytes: bytes))
            try server.channel.writeAndFlush(ByteBuffer()).wait()
            try written.wait()
            server.send(bytes)
            try server.exchange()
            #expect(server.received == bytes && server.delivered == bytes)
        }
    }

    @Test func `A rejected certificate has its reason`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let client = try TLSContext(authoritiesFile: certificates.authority)
            let past = ("20200101000000Z", "20200201000000Z")
            let expired = try await certificates.server(names: "DNS:localhost", validity: past)
            #expect(try problem(expired, client) == .expired)
            // The times are reported before the name.
            #expect(try problem(expired, client, host: "example.com") == .expired)
            let early = try await certificates.server(
                names: "DNS:localhost", validity: ("20490101000000Z", "20490201000000Z"))
            #expect(try problem(early, client) == .notYetValid)
            let purpose = try await certificates.server(names: "DNS:localhost", usage: "clientAuth")
            #expect(try problem(purpose, client) == .unknownIssuer)
            let right = try await certificates.server(names: "DNS:localhost", usage: "serverAuth")
            #expect(try problem(right, client) == nil)
            let other = try await Certificates.make(in: peers)
            let unknown = try await other.server(names: "DNS:localhost")
            #expect(try problem(unknown, client) == .unknownIssuer)
            #expect(try problem(other.selfSigned, client) == .unknownIssuer)
            #expect(try problem(right, TLSContext(authoritiesFile: nil)) == .unknownIssuer)
        }
    }

    @Test func `A server with only old TLS versions, or without a common cipher, has nothing in common`() async throws {
        try await withServer(ciphers: "ALL:@SECLEVEL=0", maximumVersion: TLS1_1_VERSION) { server in
            #expect(throws: TLSProblem.nothingInCommon) { try server.connect() }
        }
        try await withServer(ciphers: "AES128-SHA:@SECLEVEL=0", maximumVersion: TLS1_2_VERSION) { server in
            // The certificate's key cannot be used with this cipher.
            #expect(throws: TLSProblem.nothingInCommon) { try server.connect() }
        }
    }

    @Test func `TLS 1.2 is required, and a later minimum of the system's configuration stays`() throws {
        // OpenSSL applies its configuration (MinProtocol) when it creates the context.
        for (configured, minimum) in [
            (0, TLS1_2_VERSION), (TLS1_1_VERSION, TLS1_2_VERSION), (TLS1_3_VERSION, TLS1_3_VERSION),
        ] {
            let context = try #require(SSL_CTX_new(TLS_client_method()))
            defer { SSL_CTX_free(context) }
            #expect(SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(configured), nil) == 1)
            #expect(TLSContext.configure(context))
            #expect(SSL_CTX_ctrl(context, SSL_CTRL_GET_MIN_PROTO_VERSION, 0, nil) == Int(minimum))
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{3}\0\0\0\0\0\0\0"])
    func `A server without TLS is detected`(answer: String) async throws {
        try await withServer { server in
            try server.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            #expect(throws: TLSProblem.notTLS) { try server.channel.writeInbound(ByteBuffer(string: answer)) }
            #expect(!server.channel.isActive)
        }
    }

    // MARK: End

    @Test func `After the end of the output, the rest of the server arrives`() async throws {
        try await withServer { server in
            try server.connect()
            server.channel.close(mode: .output, promise: nil)
            try server.exchange()
            #expect(server.isEnded && server.isOutputClosed && server.channel.isActive)
            #expect(throws: ChannelError.outputClosed) {
                try server.channel.writeAndFlush(ByteBuffer(string: "late")).wait()
            }
            server.send(Array("rest".utf8))
            server.end()
            try server.exchange()
            #expect(server.delivered == Array("rest".utf8) && !server.channel.isActive)
        }
    }

    @Test func `A close notification closes the channel without an error, and is answered`() async throws {
        try await withServer { server in
            try server.connect()
            server.send(Array("last".utf8))
            server.end()
            try server.exchange()
            #expect(server.delivered == Array("last".utf8) && server.isEnded && !server.channel.isActive)
        }
    }

    @Test func `A connection that ends without a close notification is an error`() async throws {
        try await withServer { server in
            try server.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            server.channel.pipeline.fireChannelInactive()
            #expect(throws: TLSClosure.duringHandshake) { try server.channel.throwIfErrorCaught() }
        }
        try await withServer { server in
            try server.connect()
            let written = server.channel.write(ByteBuffer(string: "not flushed"))
            server.channel.pipeline.fireChannelInactive()
            #expect(throws: TLSClosure.withoutNotification) { try server.channel.throwIfErrorCaught() }
            #expect(throws: TLSClosure.withoutNotification) { try written.wait() }
        }
    }

    @Test func `A server that requests answers of TLS and does not read them is disconnected`() async throws {
        try await withServer { server in
            try server.connect()
            // The answers to a server that reads have no limit.
            for _ in 0..<5000 { server.updateKeys() }
            server.send(Array("one".utf8))
            try server.exchange()
            try server.channel.writeOutbound(ByteBuffer(string: "two"))
            try server.exchange()
            #expect(server.delivered == Array("one".utf8) && server.received == Array("two".utf8))
            server.channel.isWritable = false
            #expect(throws: TLSProblem.failed("the other side does not read the answers")) {
                for _ in 0..<5000 {
                    server.updateKeys()
                    try server.channel.writeInbound(ByteBuffer(bytes: server.takeBytes()))
                }
            }
            #expect(!server.channel.isActive)
        }
    }

    @Test func `A damaged record closes the channel with an error`() async throws {
        try await withServer { server in
            try server.connect()
            server.send(Array("damaged".utf8))
            var bytes = server.takeBytes()
            bytes[bytes.count - 1] ^= 1
            #expect(throws: TLSProblem.self) { try server.channel.writeInbound(ByteBuffer(bytes: bytes)) }
            #expect(server.delivered == [] && !server.channel.isActive)
            #expect(throws: ChannelError.self) { try server.channel.writeAndFlush(ByteBuffer(string: "x")).wait() }
        }
    }

    // MARK: Authorities

    @Test func `A file of authorities that cannot be used has its reason`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let folder = try peers.makeFolder("files")
            func problem(_ text: String) throws -> CertificateFileProblem? {
                let path = "\(folder)/authorities.pem"
                try text.write(toFile: path, atomically: false, encoding: .utf8)
                do throws(CertificateFileProblem) {
                    _ = try TLSContext(authoritiesFile: path)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(throws: CertificateFileProblem.system(code: ENOENT)) {
                _ = try TLSContext(authoritiesFile: "\(folder)/missing.pem")
            }
            let pem = try String(contentsOfFile: certificates.authority, encoding: .utf8)
            #expect(try problem("no certificate") == .noCertificate)
            #expect(try problem(String(pem.prefix(200))) == .noCertificate)
            #expect(try problem(pem + String(pem.prefix(200))) == .noCertificate)
            #expect(try problem("# mine\n" + pem + pem) == nil)
        }
    }
}
