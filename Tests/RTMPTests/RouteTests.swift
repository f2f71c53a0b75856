import Glibc
import Media
import NetworkSupport
import RTMP
import TestSupport
import Testing

/// Connections through a proxy, over one version of IP, or from one address.
@Suite struct RouteTests {
    private func route(_ change: (inout RTMPRoute) -> Void) -> RTMPRoute {
        var route = RTMPRoute()
        change(&route)
        return route
    }

    private func connect(_ url: String, _ route: RTMPRoute, caFile: String? = nil, deadline: Duration = .seconds(10))
        async throws(RTMPError)
    {
        var deadlines = RTMPDeadlines()
        deadlines.connect = deadline
        let parsed: RTMPURL
        do throws(RTMPURLError) {
            parsed = try RTMPURL(url)
        } catch {
            throw .badRedirect(.invalidAddress)
        }
        let publisher = try await RTMPPublisher.connect(
            to: parsed, stream: .literal, caFile: caFile, route: route, deadlines: deadlines)
        await publisher.finish()
    }

    /// `Programs/proxy.py`, which prints a line for each request.
    private func startProxy(_ mode: String = "", in peers: Peers) async throws -> (peer: Peer, port: Int) {
        let port = try freePort()
        let peer = try peers.start("proxy", FaultProgram.command("proxy.py", "\(port)", mode))
        try await peer.wait(for: "its port") { isBound(port) }
        return (peer, port)
    }

    enum Kind: String, CaseIterable {
        case socks, connect

        func proxy(port: Int) -> RTMPRoute.Proxy {
            switch self {
            case .socks: .socks5(host: "127.0.0.1", port: port)
            case .connect: .http(host: "127.0.0.1", port: port)
            }
        }
    }

    // MARK: Proxies

    @Test(arguments: Kind.allCases) func `a proxy connects to the server and resolves its name`(kind: Kind) async throws
    {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            let proxy = try await startProxy(in: peers)
            // Only the proxy knows names that end in .test.
            try await connect(
                "rtmp://origin.test:\(server.port)/live/key", route { $0.proxy = kind.proxy(port: proxy.port) })
            _ = try await proxy.peer.waitForOutputLine(containing: "\(kind.rawValue) origin.test \(server.port)")
        }
    }

    @Test(arguments: Kind.allCases) func `TLS goes through a proxy to the server itself`(kind: Kind) async throws {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            let certificates = try await Certificates.make(in: peers)
            let stunnel = try await Stunnel.start(
                in: peers, certificate: try await certificates.server(names: "DNS:localhost"), to: server.port)
            let proxy = try await startProxy(in: peers)
            try await connect(
                "rtmps://localhost:\(stunnel.port)/live/key", route { $0.proxy = kind.proxy(port: proxy.port) },
                caFile: certificates.authority)
            _ = try await proxy.peer.waitForOutputLine(containing: "\(kind.rawValue) localhost \(stunnel.port)")
        }
    }

    @Test(arguments: Kind.allCases) func `a certificate must name the server's address, not the proxy's`(kind: Kind)
        async throws
    {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            let certificates = try await Certificates.make(in: peers)
            let proxy = try await startProxy(in: peers)
            let route = route { $0.proxy = kind.proxy(port: proxy.port) }
            let right = try await Stunnel.start(
                in: peers, certificate: try await certificates.server(names: "IP:192.0.2.1"), to: server.port)
            try await connect("rtmps://192.0.2.1:\(right.port)/live/key", route, caFile: certificates.authority)
            let wrong = try await Stunnel.start(
                in: peers, certificate: try await certificates.server(names: "IP:127.0.0.1"), to: server.port)
            await #expect(throws: RTMPError.insecure(host: "192.0.2.1", .wrongHost)) {
                try await connect("rtmps://192.0.2.1:\(wrong.port)/live/key", route, caFile: certificates.authority)
            }
        }
    }

    @Test(arguments: Kind.allCases) func `a proxy gets the user name and the password that it requires`(kind: Kind)
        async throws
    {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            let proxy = try await startProxy("ann:w:ord", in: peers)
            let url = "rtmp://origin.test:\(server.port)/live/key"
            try await connect(
                url,
                route {
                    $0.proxy = kind.proxy(port: proxy.port)
                    $0.proxyCredentials = RTMPCredentials(user: "ann", password: "w:ord")
                })
            _ = try await proxy.peer.waitForOutputLine(containing: "\(kind.rawValue) origin.test \(server.port)")
            let cases: [(RTMPCredentials?, ProxyProblem)] = [
                (RTMPCredentials(user: "ann", password: "wrong"), .wrongCredentials), (nil, .credentialsMissing),
            ]
            for (credentials, problem) in cases {
                let error = await #expect(throws: RTMPError.self) {
                    try await connect(
                        url,
                        route {
                            $0.proxy = kind.proxy(port: proxy.port)
                            $0.proxyCredentials = credentials
                        })
                }
                #expect(error == .proxyFailed(host: "127.0.0.1", port: proxy.port, problem))
            }
        }
    }

    @Test(arguments: Kind.allCases, [true, false])
    func `a server's name that is too long for SOCKS is an error`(kind: Kind, hasPassword: Bool) async throws {
        try await withPeers { peers in
            let proxy = try await startProxy(in: peers)
            let error = await #expect(throws: RTMPError.self) {
                try await connect(
                    "rtmp://\(String(repeating: "a", count: 300)):1935/live/key",
                    route {
                        $0.proxy = kind.proxy(port: proxy.port)
                        if hasPassword { $0.proxyCredentials = RTMPCredentials(user: "ann", password: "word") }
                    })
            }
            #expect(error == .proxyFailed(host: "127.0.0.1", port: proxy.port, .invalidHostName))
        }
    }

    @Test(arguments: Kind.allCases) func `a proxy that refuses is an error of its own`(kind: Kind) async throws {
        try await withPeers { peers in
            let proxy = try await startProxy("refuse", in: peers)
            let error = await #expect(throws: RTMPError.self) {
                try await connect("rtmp://origin.test/live/key", route { $0.proxy = kind.proxy(port: proxy.port) })
            }
            let problem: ProxyProblem = kind == .socks ? .refused(reply: 2) : .refusedConnect
            #expect(error == .proxyFailed(host: "127.0.0.1", port: proxy.port, problem))
        }
    }

    @Test(arguments: Kind.allCases) func `a proxy that does not answer times out`(kind: Kind) async throws {
        try await withPeers { peers in
            let proxy = try await startProxy("silent", in: peers)
            let error = await #expect(throws: RTMPError.self) {
                try await connect(
                    "rtmp://origin.test/live/key", route { $0.proxy = kind.proxy(port: proxy.port) },
                    deadline: .milliseconds(300))
            }
            guard case .proxyFailed(host: "127.0.0.1", port: proxy.port, _)? = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: Kind.allCases) func `a server that is not a proxy, and no server at all, are errors`(kind: Kind)
        async throws
    {
        try await withPeers { peers in
            let server = try await NginxRTMP.start(in: peers)
            let none = try freePort()
            for port in [server.port, none] {
                let error = await #expect(throws: RTMPError.self) {
                    try await connect(
                        "rtmp://origin.test/live/key", route { $0.proxy = kind.proxy(port: port) },
                        deadline: .seconds(2))
                }
                switch error {
                case .proxyFailed(host: "127.0.0.1", port: port, _)?: #expect(port == server.port)
                case .unreachable(host: "127.0.0.1", port: port, _)?: #expect(port == none)
                default: Issue.record("another error: \(String(describing: error))")
                }
            }
        }
    }

    @Test(
        arguments: [
            ("socks5://127.0.0.1:9050", .socks5(host: "127.0.0.1", port: 9050)),
            ("SOCKS5://proxy.example", .socks5(host: "proxy.example", port: 1080)),
            ("socks5h://[::1]:1", .socks5(host: "::1", port: 1)),
            ("http://proxy.example:3128/", .http(host: "proxy.example", port: 3128)),
            ("http://[fe80::1]", .http(host: "fe80::1", port: 8080)), ("http://ann:word@proxy.example:3128", nil),
            ("https://proxy.example", nil),
            ("proxy.example:3128", nil), ("http://", nil), ("http://h:0", nil), ("http://h:x", nil),
            ("socks4://h", nil), ("http://a b", nil),
            ("", nil),
        ] as [(String, RTMPRoute.Proxy?)])
    func `the address of a proxy has a scheme, a host and perhaps a port`(text: String, proxy: RTMPRoute.Proxy?) {
        #expect(RTMPRoute.Proxy(text) == proxy)
    }

    // MARK: Version and source

    @Test func `a version of IP excludes the addresses of the other one`() async throws {
        try await ScriptedServer.run(.never) { server in
            // The server listens on 127.0.0.1 only.
            let url = server.url.replacing("127.0.0.1", with: "localhost")
            try await connect(url, route { $0.version = .four })
            let error = await #expect(throws: RTMPError.self) { try await connect(url, route { $0.version = .six }) }
            guard case .unreachable(host: "localhost", _, _)? = error else {
                Issue.record("another error: \(String(describing: error))")
                return
            }
        }
    }

    @Test func `a connection comes from the address, or the interface, that was chosen`() async throws {
        try await ScriptedServer.run(.never) { server in
            try await connect(server.url, route { $0.source = .address("127.0.0.1") })
            try await connect(server.url, route { $0.source = .interface("lo") })
            for source in [RTMPRoute.Source.address("192.0.2.1"), .interface("nothing0"), .address("::1")] {
                await #expect(throws: RTMPError.self) {
                    try await connect(server.url, route { $0.source = source }, deadline: .seconds(2))
                }
            }
        }
    }

    @Test(
        arguments: [
            ("192.0.2.7", .address("192.0.2.7")), ("2001:db8::7", .address("2001:db8::7")), ("wg0", .interface("wg0")),
            ("", nil),
            ("a/b", nil), ("a name", nil), ("sixteen-letters0", nil),
        ] as [(String, RTMPRoute.Source?)])
    func `a source is an address or the name of an interface`(text: String, source: RTMPRoute.Source?) {
        #expect(RTMPRoute.Source(text) == source)
    }
}
