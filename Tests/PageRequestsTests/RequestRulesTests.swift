import NIOHTTP1
import PageRequests
import Testing

struct RequestRulesTests {
    private static let token = "sesame-opens-this"
    private let rules = RequestRules(token: token, hosts: ["192.168.1.5:8330", "localhost:8330"])

    private func answer(
        _ uri: String, method: HTTPMethod = .GET, host: String? = "192.168.1.5:8330", origin: String? = nil
    ) -> RequestRules.Answer {
        var headers = HTTPHeaders()
        if let host { headers.add(name: "Host", value: host) }
        if let origin { headers.add(name: "Origin", value: origin) }
        return rules.answer(to: HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers))
    }

    @Test func `The page and its socket are found with the secret`() {
        #expect(answer("/\(Self.token)/") == .page && answer("/\(Self.token)/?x=1") == .page)
        #expect(answer("/\(Self.token)") == .redirect(to: "/\(Self.token)/"))
        #expect(answer("/\(Self.token)/", method: .HEAD) == .page)
        #expect(answer("/\(Self.token)/ws", method: .HEAD) == .notFound)
        #expect(answer("/\(Self.token)/", host: "LOCALHOST:8330") == .page)
        let socket = "/\(Self.token)/ws"
        #expect(answer(socket, origin: "http://192.168.1.5:8330") == .socket(.pictures))
        #expect(answer(socket + "?sound=1", origin: "http://192.168.1.5:8330") == .socket(.picturesAndSound))
        #expect(answer(socket + "?media=none", origin: "http://192.168.1.5:8330") == .socket(.none))
    }

    @Test func `What HLS consists of is found by programs and by the page, and by no other site`() {
        for name in ["live.m3u8", "live-000001.m4s", "live-header0.mp4"] {
            let path = "/\(Self.token)/\(name)"
            #expect(answer(path) == .segmented(name: name))
            #expect(answer(path, origin: "http://192.168.1.5:8330") == .segmented(name: name))
            #expect(answer(path, origin: "http://other.example") == .notFound)
            #expect(answer("/wrong-secret-here/\(name)") == .notFound)
        }
        #expect(answer("/\(Self.token)/page.html") == .notFound)
        #expect(answer("/\(Self.token)/a/live.m3u8") == .notFound)
    }

    @Test func `An offer is taken of the page and of programs that are no browsers`() {
        let offer = "/\(Self.token)/whep"
        #expect(answer(offer, method: .POST) == .offer(socket: nil))
        #expect(
            answer(offer + "?socket=a-b", method: .POST, origin: "http://192.168.1.5:8330") == .offer(socket: "a-b"))
        #expect(answer(offer, method: .POST, origin: "http://evil.example") == .notFound)
        #expect(answer("/sesame/whep", method: .POST) == .notFound && answer(offer) == .notFound)
        #expect(answer(offer + "/x", method: .DELETE) == .endOfSession("x"))
        #expect(answer(offer + "/x", method: .DELETE, origin: "null") == .notFound)
        #expect(answer(offer + "/x", method: .PATCH) == .notFound && answer(offer, method: .DELETE) == .notFound)
    }

    @Test(arguments: [
        "", "/", "*", "//", "/sesame-opens-thiz/", "/sesame/", "/sesame-opens-this/x", "/sesame-opens-this//",
        "/sesame-opens-this/ws/", "/sesame-opens-this/../sesame-opens-this/",
        "http://192.168.1.5:8330/sesame-opens-this/",
    ])
    func `Other paths do not exist`(uri: String) {
        #expect(answer(uri, origin: "http://192.168.1.5:8330") == .notFound)
    }

    @Test func `With HTTPS, the page's own origin is that of HTTPS`() {
        let rules = RequestRules(token: Self.token, hosts: ["studio.example:8330"], isEncrypted: true)
        for (origin, isOwn) in [("https://studio.example:8330", true), ("http://studio.example:8330", false)] {
            let headers = HTTPHeaders([("Host", "studio.example:8330"), ("Origin", origin)])
            let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/\(Self.token)/ws", headers: headers)
            #expect(rules.answer(to: head) == (isOwn ? .socket(.pictures) : .notFound))
        }
    }

    @Test func `Another host, another origin and another method get nothing`() {
        for host in [nil, "evil.example:8330", "192.168.1.5", "192.168.1.5:80"] {
            #expect(answer("/\(Self.token)/", host: host) == .notFound, "\(host ?? "none")")
        }
        for origin in [nil, "null", "http://evil.example", "https://192.168.1.5:8330", "http://localhost:8330"] {
            #expect(answer("/\(Self.token)/ws", origin: origin) == .notFound, "\(origin ?? "none")")
        }
        #expect(answer("/\(Self.token)/", method: .POST) == .notFound)
        var headers = HTTPHeaders([("Host", "192.168.1.5:8330"), ("Host", "evil.example")])
        headers.add(name: "Origin", value: "http://192.168.1.5:8330")
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/\(Self.token)/", headers: headers)
        #expect(rules.answer(to: head) == .notFound)
    }
}
