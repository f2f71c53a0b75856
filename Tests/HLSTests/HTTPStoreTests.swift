import HLS
import HLSExtension
import TestSupport
import Testing

/// What the answers of a server mean.
struct HTTPStoreTests {
    private func failure(_ status: Int, _ schemes: [String] = []) -> StoreError? {
        HTTPStore.failure(status, method: "PUT", host: "example.com", schemes: schemes)
    }

    private func sentence(_ error: StoreError?) -> String {
        switch error {
        case .refused(_, let sentence), .unavailable(let sentence, _): sentence
        case nil: ""
        }
    }

    @Test func `Success has no error, and a server that is busy is temporary`() {
        for status in [200, 201, 204] { #expect(failure(status) == nil) }
        for status in [408, 429, 500, 503] {
            #expect(failure(status) == .unavailable("the server at example.com answered \(status)"))
        }
        let busy = HTTPStore.failure(503, method: "PUT", host: "example.com", retryAfter: .seconds(9))
        #expect(
            busy == .unavailable("the server at example.com answered 503 and asks to wait 9 s", retryAfter: .seconds(9))
        )
    }

    @Test func `A server that only offers an authentication that is not supported is named as the reason`() {
        for schemes in [["digest"], ["negotiate", "ntlm"]] {
            let error = failure(401, schemes)
            #expect(sentence(error).contains("requires \(schemes[0].capitalized) authentication"))
            guard case .refused(401, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        for schemes in [[], ["basic"], ["digest", "basic"], ["bearer"]] {
            #expect(sentence(failure(401, schemes)).contains("check user and password"), "\(schemes)")
        }
    }
}

/// Servers that are not there, or whose answers do not end.
struct HTTPStoreAnswerTests {
    private let object = StoredObject(name: "live.m3u8", kind: .playlist, bytes: Array("#EXTM3U\n".utf8))

    private func store(_ host: String, _ port: Int, route: HLSRoute = HLSRoute()) throws -> HTTPStore {
        let address = try #require(HTTPAddress("http://\(host):\(port)/live/"))
        return HTTPStore(address: address, authorization: nil, authoritiesFile: nil, route: route, playlistLifetime: 1)
    }

    @Test func `An answer that never ends holds up neither an upload nor the start`() async throws {
        try await withPeers { peers in
            let port = try freePort()
            let program = """
                import socket, threading, time
                def serve(client):
                    data = b''
                    while b'\\r\\n\\r\\n' not in data: data += client.recv(65536)
                    client.sendall(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
                    try:
                        while True:
                            client.sendall(b'1\\r\\nx\\r\\n')
                            time.sleep(0.1)
                    except OSError:
                        pass
                server = socket.create_server(('127.0.0.1', \(port)))
                while True: threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
                """
            try await peers.start("server", ["python3", "-c", program]).wait(for: "its port") { isBound(port) }
            let store = try store("127.0.0.1", port)
            try await store.put(object)
            #expect(await store.playlist(named: "live.m3u8") == nil)
            await store.shutDown()
        }
    }

    @Test func `A head that never ends is not an answer`() async throws {
        try await withPeers { peers in
            let port = try freePort()
            let program = """
                import socket
                server = socket.create_server(('127.0.0.1', \(port)))
                while True:
                    client = server.accept()[0]
                    try:
                        client.sendall(b'HTTP/1.1 200 OK\\r\\n')
                        while True: client.sendall(b'X: ' + b'x' * 1000 + b'\\r\\n')
                    except OSError:
                        client.close()
                """
            try await peers.start("server", ["python3", "-c", program]).wait(for: "its port") { isBound(port) }
            let store = try store("127.0.0.1", port)
            let problem = "the server at 127.0.0.1:\(port) cannot be reached (the request failed)"
            await #expect(throws: StoreError.unavailable(problem)) { try await store.put(object) }
            await store.shutDown()
        }
    }

    @Test func `Only an address of the chosen version of IP determines why a server cannot be reached`() async throws {
        let port = try freePort()
        let store = try store("localhost", port, route: HLSRoute(setup: ["ip-version": "4"]))
        await #expect(
            throws: StoreError.unavailable("the server at localhost:\(port) cannot be reached (nothing listens there)")
        ) {
            try await store.put(object)
        }
        await store.shutDown()
    }
}

/// To a web server behind TLS, with generated certificates.
struct HTTPStoreOverTLSTests {
    /// Uploads one object. Returns the error, or nil.
    private func failure(
        _ port: Int, host: String = "localhost", route: HLSRoute = HLSRoute(), trusting authority: String
    ) async throws
        -> StoreError?
    {
        let address = try #require(HTTPAddress("https://\(host):\(port)/live/"))
        let store = HTTPStore(
            address: address, authorization: "Bearer secret", authoritiesFile: authority, route: route,
            playlistLifetime: 1)
        let object = StoredObject(name: "live.m3u8", kind: .playlist, bytes: Array("#EXTM3U\n".utf8))
        var failure: StoreError?
        do throws(StoreError) {
            try await store.put(object)
        } catch {
            failure = error
        }
        await store.shutDown()
        return failure
    }

    @Test func `Objects and the token go only to a server that proves its name`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let root = try peers.makeFolder("objects")
            let configuration = """
                events {}
                http { server { listen 80; location / { root \(root); dav_methods PUT; create_full_put_path on; access_log \(root)/access.log; } } }
                """
            let server = try await Nginx.start(configuration, in: peers)
            func requests() -> Int {
                ((try? String(contentsOfFile: root + "/access.log", encoding: .utf8)) ?? "").split(separator: "\n")
                    .count
            }
            func tunnel(_ pair: Certificates.Pair, options: String = "") async throws -> Int {
                try await Stunnel.start(in: peers, certificate: pair, to: server.port, options: options).port
            }
            let good = try await tunnel(certificates.server(names: "DNS:localhost,IP:127.0.0.1"))
            #expect(try await failure(good, trusting: certificates.authority) == nil)
            #expect(try await failure(good, host: "127.0.0.1", trusting: certificates.authority) == nil)
            let proxy = try freePort()
            try await peers.start("proxy", FaultProgram.command("proxy.py", "\(proxy)")).wait(for: "its port") {
                isBound(proxy)
            }
            let other = try await tunnel(certificates.server(names: "IP:192.0.2.1"))
            let through = try HLSRoute(setup: ["proxy": "http://127.0.0.1:\(proxy)"])
            #expect(
                try await failure(other, host: "192.0.2.1", route: through, trusting: certificates.authority) == nil)
            guard
                case .refused(StoreError.untrusted, _) = try await failure(
                    good, host: "192.0.2.1", route: through, trusting: certificates.authority)
            else {
                Issue.record("accepted: the address of the proxy")
                return
            }
            try await waitUntil("the log of the uploads") { requests() == 3 }

            let others: [(String, Certificates.Pair)] = [
                ("address", try await certificates.server(names: "IP:127.0.0.1")),
                ("other", try await certificates.server(names: "DNS:example.com")),
                ("common name", try await certificates.server(names: nil, commonName: "localhost")),
                ("client", try await certificates.server(names: "DNS:localhost", usage: "clientAuth")),
                (
                    "expired",
                    try await certificates.server(
                        names: "DNS:localhost", validity: ("20200101000000Z", "20200201000000Z"))
                ),
                ("self-signed", try await Certificates.make(in: peers).selfSigned),
            ]
            for (what, pair) in others {
                guard
                    case .refused(StoreError.untrusted, _) = try await failure(
                        tunnel(pair), trusting: certificates.authority)
                else {
                    Issue.record("accepted: \(what)")
                    continue
                }
            }
            let old = try await tunnel(
                certificates.server(names: "DNS:localhost"),
                options: "sslVersionMin = TLSv1.1\nsslVersionMax = TLSv1.1\nciphers = ALL:@SECLEVEL=0")
            guard case .refused(525, let sentence) = try await failure(old, trusting: certificates.authority) else {
                Issue.record("accepted: TLS 1.1")
                return
            }
            #expect(sentence.contains("TLS 1.2 or later"))
            #expect(requests() == 3, "a request was sent to a server that is not trusted")
        }
    }

    @Test(arguments: ["http", "socks5"]) func `A proxy gets the user name and the password that it requires`(
        scheme: String
    ) async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let root = try peers.makeFolder("objects")
            let configuration = """
                events {}
                http { server { listen 80; location / { root \(root); dav_methods PUT; create_full_put_path on; } } }
                """
            let server = try await Nginx.start(configuration, in: peers)
            let tunnel = try await Stunnel.start(
                in: peers, certificate: certificates.server(names: "DNS:localhost"), to: server.port)
            let port = try freePort()
            let proxy = try peers.start("proxy", FaultProgram.command("proxy.py", "\(port)", "ann:w"))
            try await proxy.wait(for: "its port") { isBound(port) }
            func failure(password: String) async throws -> StoreError? {
                let route = try HLSRoute(setup: [
                    "proxy": "\(scheme)://127.0.0.1:\(port)", "proxy-user": "ann", "proxy-password": password,
                ])
                return try await self.failure(tunnel.port, route: route, trusting: certificates.authority)
            }
            #expect(try await failure(password: "w") == nil)
            let problem = "the server at localhost:\(tunnel.port) cannot be reached (the request failed)"
            #expect(try await failure(password: "x") == .unavailable(problem))
        }
    }
}
