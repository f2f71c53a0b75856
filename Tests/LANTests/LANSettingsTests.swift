import BroadcastExtension
import LANExtension
import PageRequests
import Testing
import WebRTC

struct LANSettingsTests {
    @Test func `Sites that may contain the page are origins, and nothing else`() throws {
        let two = try LANSettings(setup: ["embed": "http://wiki.example, https://[2001:db8::1]:8443"])
        #expect(two.embedders == ["http://wiki.example", "https://[2001:db8::1]:8443"])
        for wrong in ["wiki.example", "http://", "http://a.example/x", "http://a.example;script-src", "*", "ftp://a"] {
            #expect(throws: BroadcastFailure.self, "\(wrong)") { try LANSettings(setup: ["embed": wrong]) }
        }
    }

    @Test func `Without answers, the secret is random and the port is the usual one`() throws {
        let (one, other) = (try LANSettings(setup: [:]), try LANSettings(setup: ["bind": "", "port": "", "token": ""]))
        #expect(one.binding == .standard && one.port == 8330 && !one.isPortChosen)
        #expect(one.token != other.token && one.token.count == 22 && AccessToken.isValid(one.token))
    }

    @Test func `Answers are used`() throws {
        let settings = try LANSettings(setup: ["bind": "10.0.0.7, ::1", "port": "9000", "token": "every-monday"])
        #expect(settings.binding == .addresses(["10.0.0.7", "::1"]) && settings.port == 9000 && settings.isPortChosen)
        #expect(settings.token == "every-monday")
        for any in ["any", "0.0.0.0", "::", "0.0.0.0, ::1"] {
            #expect(try LANSettings(setup: ["bind": any]).binding == .any)
        }
        // As browsers write it in the address of the page.
        let long = try LANSettings(setup: ["bind": "0:0:0:0:0:0:0:1 FE80::00A1"])
        #expect(long.binding == .addresses(["::1", "fe80::a1"]))
    }

    @Test func `The files for HTTPS belong together`() throws {
        let settings = try LANSettings(
            setup: ["host": "Studio.example", "certificate": "/etc/cert.pem", "key": "/etc/key.pem"])
        #expect(settings.host == "studio.example")
        #expect(settings.certificate == .init(file: "/etc/cert.pem", keyFile: "/etc/key.pem"))
        for wrong in [["certificate": "/c"], ["key": "/k"]] {
            #expect(throws: BroadcastFailure.self, "\(wrong)") { try LANSettings(setup: wrong) }
        }
    }

    @Test(arguments: [
        ("host", "studio:8330"), ("host", "a b"), ("bind", "example.com"), ("bind", ","), ("bind", "any,10.0.0.1"),
        ("port", "80"), ("port", "x"),
        ("port", "70000"),
        ("token", "short"), ("token", "with a space"), ("token", "slash/slash/slash"),
    ])
    func `A wrong answer is named`(key: String, value: String) {
        #expect {
            try LANSettings(setup: [key: value])
        } throws: { error in
            guard let failure = error as? BroadcastFailure else { return false }
            return failure.code == 400 && failure.message.contains("setting \(key) is wrong")
        }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.0.1", true),
        ("192.169.0.1", false), ("169.254.1.1", true), ("100.64.0.1", true), ("100.128.0.1", false), ("8.8.8.8", false),
        ("192.0.2.2", true), ("192.0.3.2", false),
        ("::1", true), ("fe80::1", true), ("fd00::1", true), ("2001:db8::1", false),
    ])
    func `An address that the Internet reaches is told from others`(text: String, isLocal: Bool) throws {
        #expect(try #require(TransportAddress(text, port: 1)).isLocal == isLocal)
    }
}
