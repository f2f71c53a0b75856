import RTMP
import Testing

@Suite struct RTMPURLTests {
    @Test func `the last component of the path is the key`() throws {
        let url = try RTMPURL("rtmp://example.com/live/secret")
        #expect(url.scheme == .rtmp && url.host == "example.com" && url.port == 1935)
        #expect(url.app == "live" && url.streamKey == "secret" && url.tcURL == "rtmp://example.com/live")
    }

    @Test func `an application can have several components, and the port is kept`() throws {
        let url = try RTMPURL("RTMP://127.0.0.1:19350/a/b/secret")
        #expect(url.host == "127.0.0.1" && url.port == 19_350)
        #expect(url.app == "a/b" && url.streamKey == "secret" && url.tcURL == "rtmp://127.0.0.1:19350/a/b")
    }

    @Test func `an application can have several components and the key a query`() throws {
        let url = try RTMPURL("rtmp://example.com/app/instance/more/live_1?a=1&b=/2")
        #expect(url.app == "app/instance/more" && url.streamKey == "live_1?a=1&b=/2")
        #expect(url.tcURL == "rtmp://example.com/app/instance/more")
    }

    @Test func `a key keeps its query with all slashes`() throws {
        let url = try RTMPURL("rtmp://example.com/app/live_1?sign=a%2Fb&path=/x/y&v=1")
        #expect(url.app == "app" && url.streamKey == "live_1?sign=a%2Fb&path=/x/y&v=1")
    }

    @Test func `an application keeps its query`() throws {
        let url = try RTMPURL("rtmp://example.com/app?token=1234/key")
        #expect(url.app == "app?token=1234" && url.streamKey == "key")
    }

    @Test func `with a separate key, the whole path is the application`() throws {
        for text in ["rtmp://example.com/a/b", "rtmp://example.com/a/b/"] {
            let url = try RTMPURL(text, streamKey: "x/y?z=1&u=2")
            #expect(url.app == "a/b" && url.streamKey == "x/y?z=1&u=2")
        }
    }

    @Test func `an IPv6 address has brackets`() throws {
        let url = try RTMPURL("rtmp://[::1]:1936/live/secret")
        #expect(url.host == "::1" && url.port == 1936 && url.tcURL == "rtmp://[::1]:1936/live")
        #expect(try RTMPURL("rtmp://[2001:db8::1]/live/secret").tcURL == "rtmp://[2001:db8::1]/live")
    }

    @Test func `rtmps has its own default port`() throws {
        let url = try RTMPURL("rtmps://example.com:443/app/secret")
        #expect(url.scheme == .rtmps && url.port == 443 && url.tcURL == "rtmps://example.com/app")
    }

    @Test func `a user name and a password can precede the host, percent-encoded`() throws {
        let url = try RTMPURL("rtmp://ann:p%40ss:%2Fword@[::1]:1936/live/key")
        #expect(url.credentials == RTMPCredentials(user: "ann", password: "p@ss:/word"))
        #expect(url.host == "::1" && url.port == 1936 && url.tcURL == "rtmp://[::1]:1936/live")
        #expect(try RTMPURL("rtmp://example.com/live/key@home").credentials == nil)
        var dumped = ""
        dump(url, to: &dumped)
        for text in [url.description, dumped, "\(url.credentials as Any)", String(reflecting: url.credentials)] {
            #expect(!text.contains("ann") && !text.contains("word"), "\(text)")
        }
    }

    @Test(arguments: [
        ("rtmp://other:1940/x", "rtmp://other:1940/x"), ("rtmps://other/x/y", "rtmps://other/x/y"),
        ("//other/x", "rtmp://other/x"),
        ("/x/y", "rtmp://example.com:1936/x/y"), ("x", "rtmp://example.com:1936/a/x"),
        ("?v=1", "rtmp://example.com:1936/a/b?v=1"),
        ("rtmp://other/x/key?t=1", "rtmp://other/x"), ("rtmp://[::1]/x", "rtmp://[::1]/x"),
    ])
    func `a redirect target can be absolute or relative`(reference: String, expected: String) throws {
        let url = try RTMPURL("rtmp://ann:word@example.com:1936/a/b/key?t=1").resolving(reference)
        #expect(url.tcURL == expected && url.streamKey == "key?t=1")
        #expect(url.credentials == RTMPCredentials(user: "ann", password: "word"))
    }

    @Test(arguments: ["http://other/x", "rtmp:///x", "rtmp://other/", "rtmp://other/a b", ""])
    func `an invalid redirect target throws an error`(reference: String) throws {
        let url = try RTMPURL("rtmp://example.com/b/key")
        #expect(throws: RTMPURLError.self) { try url.resolving(reference) }
    }

    @Test func `a printed URL contains neither the key nor a query`() throws {
        let url = try RTMPURL("rtmp://example.com/app?token=hidden1/hidden2")
        var dumped = ""
        dump(url, to: &dumped)
        let texts = [
            url.description, url.debugDescription, "\(url)", String(reflecting: url), "\(Optional(url) as Any)", dumped,
        ]
        for text in texts { #expect(!text.contains("hidden"), "\(text)") }
        #expect(url.description == "rtmp://example.com/app/…")
    }

    @Test(arguments: [
        ("http://example.com/live/key", RTMPURLError.unknownScheme), ("example.com/live/key", .unknownScheme),
        ("", .unknownScheme),
        ("rtmp:///live/key", .invalidHost), ("rtmp://", .invalidHost), ("rtmp://[::1/live/key", .invalidHost),
        ("rtmp://[::1]x/live/key", .invalidHost),
        ("rtmp://host:/live/key", .invalidPort), ("rtmp://host:0/live/key", .invalidPort),
        ("rtmp://host:65536/live/key", .invalidPort),
        ("rtmp://::1/live/key", .invalidHost), ("rtmp://host:19x/live/key", .invalidPort),
        ("rtmp://user@host/live/key", .credentials),
        ("rtmp://:word@host/live/key", .credentials),
        ("rtmp://host/live", .missingKey), ("rtmp://host/live/", .missingKey), ("rtmp://host", .missingKey),
        ("rtmp://host/live/a key", .invalidCharacter), ("rtmp://host/live/key\n", .invalidCharacter),
    ])
    func `an invalid URL throws an error with the reason`(text: String, error: RTMPURLError) {
        #expect(throws: error) { try RTMPURL(text) }
    }

    @Test func `a path without an application is rejected`() {
        #expect(throws: RTMPURLError.missingApp) { try RTMPURL("rtmp://host/", streamKey: "key") }
    }

    @Test func `an empty key is rejected`() {
        #expect(throws: RTMPURLError.missingKey) { try RTMPURL("rtmp://host/live", streamKey: "") }
    }
}

struct RTMPAddressTests {
    @Test(arguments: ["rtmp://example.com/live", "RTMP://example.com:1935/live/"])
    func `the whole path of an address without a key is the application`(text: String) throws {
        let address = try RTMPAddress(text)
        #expect(
            address.scheme == .rtmp && address.host == "example.com" && address.port == 1935 && address.app == "live")
        #expect(try RTMPAddress("rtmps://[::1]/a/b?c=d").app == "a/b?c=d")
    }

    @Test(arguments: [
        ("http://example.com/live", RTMPURLError.unknownScheme), ("rtmp:///live", .invalidHost),
        ("rtmp://host:0/live", .invalidPort),
        ("rtmp://user@host/live", .credentials), ("rtmp://host", .missingApp), ("rtmp://host/", .missingApp),
        ("rtmp://host/a b", .invalidCharacter),
    ])
    func `an invalid address throws an error with the reason`(text: String, error: RTMPURLError) {
        #expect(throws: error) { try RTMPAddress(text) }
    }

    @Test func `a printed address contains neither credentials nor what may be a key`() throws {
        let address = try RTMPAddress("rtmp://ann:hidden0@example.com/app/hidden1?token=hidden2")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped] { #expect(!text.contains("hidden"), "\(text)") }
        #expect(address.description == "rtmp://example.com/app/…")
    }

    @Test func `a stream key is checked without an address`() {
        #expect(throws: Never.self) { try RTMPURL.check(streamKey: "live_1?a=b/c") }
        #expect(throws: RTMPURLError.invalidCharacter) { try RTMPURL.check(streamKey: "live 1") }
        #expect(throws: RTMPURLError.missingKey) { try RTMPURL.check(streamKey: "") }
    }
}
