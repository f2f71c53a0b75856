import BroadcastExtension
import HTTPClient
import Testing
import WHIPExtension

struct WHIPSettingsTests {
    @Test(arguments: [
        ("whip:https://a.example/x", "https://a.example/x"), ("whip://a.example/x", "https://a.example/x"),
        ("WHIPS://a.example:8443/x?y", "https://a.example:8443/x?y"), ("http://[::1]:80/w", "http://[::1]:80/w"),
    ])
    func `an address is read`(text: String, url: String) throws {
        #expect(try WHIPSettings(setup: ["url": text]).url == url)
    }

    @Test(arguments: [
        [:], ["url": "whip:"], ["url": "ftp://a"], ["url": "https://"], ["url": "https://a b/"],
        ["url": "http://a.example/x", "token": "t"],
        ["url": "HTTP://a.example/x", "token": "t"], ["url": "https://a", "token": "a\nb"],
        ["url": "https://a", "bind": "eth0"],
    ])
    func `what cannot be used is refused`(setup: [String: String]) {
        let failure = #expect(throws: BroadcastFailure.self) { try WHIPSettings(setup: setup) }
        #expect(failure?.code == 400 && failure?.retry == false)
    }

    @Test(arguments: [
        ("https://b/s", "https://b/s"), ("/s/1", "https://a:1/s/1"), ("s/1", "https://a:1/p/s/1"),
        ("//b/s", "https://b/s"), ("/r/1?next=https://x", "https://a:1/r/1?next=https://x"),
    ])
    func `the address of a session can be relative`(location: String, url: String) {
        #expect(HTTPAddress.resolve(location, against: "https://a:1/p/whip?x=/y") == url)
    }

    @Test(arguments: [
        ("https://x1.global-bm.whip.live-video.net/a", true), ("https://GLOBAL.whip.live-video.net", true),
        ("https://whip.live-video.net:8443/", true), ("https://live-video.net/", false),
        ("https://whip.live-video.net.evil.example/", false), ("https://evilwhip.live-video.net/", false),
        ("https://x@evil.example/.whip.live-video.net", false),
    ])
    func `a host is in a domain or not`(url: String, isIn: Bool) {
        #expect(HTTPAddress.isHost(of: url, in: "whip.live-video.net") == isIn)
    }

    @Test func `one server is the same in all spellings`() {
        for url in ["https://H.example", "HTTPS://h.example:443/x", "https://user@h.example/?y"] {
            #expect(HTTPAddress.origin(of: url) == "https://h.example")
        }
        #expect(HTTPAddress.origin(of: "http://h.example:443/") == "http://h.example:443")
    }
}
