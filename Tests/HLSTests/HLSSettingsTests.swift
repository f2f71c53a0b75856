import BroadcastExtension
import Foundation
import HLSExtension
import HTTPClient
import Testing

struct HLSSettingsTests {
    @Test func `An address contains the name of each object`() throws {
        let cases = [
            ("https://example.com/live/", "https://example.com/live/a.ts", nil),
            ("https://example.com/live", "https://example.com/live/a.ts", nil),
            ("https://example.com", "https://example.com/a.ts", nil),
            ("http://example.com:8080/live/talk.m3u8", "http://example.com:8080/live/a.ts", "talk.m3u8"),
            ("https://example.com/live/?sig=x", "https://example.com/live/a.ts?sig=x", nil),
            (
                "https://a.upload.example.com/http_upload_hls?cid=k&copy=0&file=",
                "https://a.upload.example.com/http_upload_hls?cid=k&copy=0&file=a.ts", nil
            ),
            ("https://example.com/put/{file}?t=1", "https://example.com/put/a.ts?t=1", nil),
        ]
        for (text, url, playlist) in cases {
            let address = try #require(HTTPAddress(text))
            #expect(address.url(of: "a.ts") == url && address.playlist == playlist)
        }
    }

    @Test(arguments: [
        "ftp://example.com/", "http:///live", "https://user:pass@example.com/live", "http://example.com/a b", "http://",
    ])
    func `An invalid server address is rejected`(text: String) {
        #expect(HTTPAddress(text) == nil)
    }

    @Test func `A folder can include the playlist's name and a tilde`() throws {
        let talk = try HLSSettings(setup: ["url": "hls:/srv/www/talk.m3u8"], home: "/home/ada")
        #expect(talk.place == .folder("/srv/www") && talk.playlist == "talk.m3u8")
        let home = try HLSSettings(setup: ["url": "~/live/"], home: "/home/ada")
        #expect(home.place == .folder("/home/ada/live") && home.playlist == "live.m3u8")
        #expect(!talk.createsParents && home.createsParents)
        #expect(home.segmentDuration == 4 && home.window == 6 && home.format == .ts && home.authorization == nil)
    }

    @Test func `The key replaces its placeholder in the address, and no message contains it`() throws {
        let setup = ["url": "https://example.com/up?cid={key}&file=", "key": "canary-7Q2x"]
        guard case .server(let address) = try HLSSettings(setup: setup, home: nil).place else {
            Issue.record("no server")
            return
        }
        #expect(
            address.url(of: "a") == "https://example.com/up?cid=canary-7Q2x&file=a" && address.host == "example.com")
        #expect(throws: BroadcastFailure(code: 401, message: "The address requires a key: broadcast setup hls")) {
            try HLSSettings(setup: ["url": "https://example.com/{key}/"], home: nil)
        }
    }

    @Test(
        arguments: [
            ("http://example.com/live/", ["token": "t"], true),
            ("hls:HTTP://example.com/live/", ["user": "ada", "password": "p"], true),
            ("http://10.0.0.1/live/", ["user": "ada"], true), ("http://127.0.0.1.example.com/", ["token": "t"], true),
            ("http://example.com/up?cid={key}&file=", ["key": "k"], true),
            ("http://example.com/live/", ["key": "k"], false),
            ("\nhttp://example.com/live/", ["token": "t"], true), ("ht\ntp://example.com/live/", ["token": "t"], true),
            ("http://localhost/live/", ["token": "t", "proxy": "http://p:3128"], true),
            ("http://localhost/live/", ["token": "t", "proxy": "socks5://127.0.0.1:1080"], false),
            ("http://example.com/live/", [:], false), ("https://example.com/live/", ["token": "t"], false),
            ("http://127.0.0.1:8080/live/", ["token": "t"], false), ("http://localhost/live/", ["token": "t"], false),
            ("http://[::1]:80/live/", ["user": "ada"], false), ("/srv/www", ["token": "t"], false),
        ] as [(String, [String: String], Bool)])
    func `No secret is sent to another machine without encryption`(
        url: String, secrets: [String: String], isRefused: Bool
    ) throws {
        let setup = secrets.merging(["url": url]) { $1 }
        guard isRefused else {
            _ = try HLSSettings(setup: setup, home: nil)
            return
        }
        let error = #expect(throws: BroadcastFailure.self) { try HLSSettings(setup: setup, home: nil) }
        #expect(error?.code == 400 && error?.message.contains("https://") == true)
    }

    @Test(arguments: ["user", "password", "token", "key"]) func `A secret of several lines is refused and not joined`(
        name: String
    ) {
        let setup = ["url": "https://example.com/{key}/", "key": "k"].merging([name: "one\ntwo"]) { $1 }
        let error = #expect(throws: BroadcastFailure.self) { try HLSSettings(setup: setup, home: nil) }
        #expect(error?.message == "\(name): this must be one line")
    }

    @Test func `Connections to a server use the proxy, the address and the version of IP that were chosen`() throws {
        func route(_ setup: [String: String], url: String = "https://host/live/") throws -> HLSRoute {
            try HLSSettings(setup: setup.merging(["url": url]) { $1 }, home: nil).route
        }
        #expect(try route([:]) == HLSRoute())
        #expect(try route(["proxy": "socks5://[::1]:1080"]).proxy == HTTPProxy(.socks5, host: "::1", port: 1080))
        for (text, kind) in [("http://p:3128", HTTPProxy.Kind.http), ("socks5://p:3128", .socks5)] {
            let proxy = try route(["proxy": text, "proxy-user": "ann", "proxy-password": "w"]).proxy
            #expect(proxy == HTTPProxy(kind, host: "p", port: 3128, user: "ann", password: "w"))
        }
        #expect(try route(["bind": "10.0.0.1", "ip-version": "4"]).localAddress == "10.0.0.1")
        #expect(try route(["ip-version": "6"]).localAddress == "::")
        // A folder needs no connection.
        #expect(try route(["proxy": "http://p:3128", "bind": "wg0"], url: "/srv/www") == HLSRoute())
        for setup in [
            ["bind": "wg0"], ["proxy": "p"], ["proxy": "ftp://p:1"], ["ip-version": "5"],
            ["proxy": "http://:1"], ["proxy": "http://localhost:1@p:3128"], ["proxy": "http://localhost/@p:3128"],
        ] {
            #expect(throws: BroadcastFailure.self) { try route(setup) }
        }
    }

    @Test func `Authorization uses a token, or a user name and a password`() throws {
        let url = ["url": "https://example.com/"]
        #expect(try HLSSettings(setup: url.merging(["token": "t"]) { $1 }, home: nil).authorization == "Bearer t")
        let basic = try HLSSettings(
            setup: url.merging(["user": "Aladdin", "password": "open sesame"]) { $1 }, home: nil)
        // RFC 7617, 2.
        #expect(basic.authorization == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    @Test(arguments: [
        ([:], "url"), (["url": "live"], "url"), (["url": "/srv", "window": "2"], "window"),
        (["url": "/srv", "window": "many"], "window"),
        (["url": "/srv", "ca-file": "/etc/hostname"], "ca-file"),
        (["url": "http://h/", "ca-file": "/etc/hostname"], "ca-file"),
        (["url": "https://h/", "ca-file": "/etc/hostname"], "ca-file"),
        (["url": "https://h/", "ca-file": "a.pem"], "ca-file"),
        (["url": "https://h/", "ca-file": "/nonexistent/a.pem"], "ca-file"),
        (["url": "/srv", "segment": "0.1"], "segment"), (["url": "/srv", "format": "mp3"], "format"),
    ])
    func `An error names the key of the invalid setting`(setup: [String: String], key: String) {
        do throws(BroadcastFailure) {
            _ = try HLSSettings(setup: setup, home: nil)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.code == 400 && error.message.hasPrefix("\(key): "))
        }
    }
}
