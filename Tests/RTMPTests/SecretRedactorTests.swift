import FuzzTargets
import RTMP
import TestPatterns
import Testing

@Suite struct SecretRedactorTests {
    private func redactor(_ url: String) throws -> SecretRedactor { SecretRedactor(try RTMPURL(url)) }

    @Test func `the key is removed from a server's text, ignoring case`() throws {
        let redactor = try redactor("rtmp://host/live/sk_Abc123")
        #expect(redactor.clean("Stream sk_Abc123 is in use; SK_ABC123!") == "Stream … is in use; …!")
    }

    @Test func `the parts of a key are removed too`() throws {
        let redactor = try redactor("rtmp://host/live/name?sign=abcdef&v=1&e=a%2Fb%2Fc")
        #expect(redactor.clean("name?sign=abcdef&v=1&e=a%2Fb%2Fc") == "…")
        #expect(redactor.clean("bad sign abcdef for name") == "bad sign … for …")
        #expect(redactor.clean("got a/b/c and version 1") == "got … and version 1")
    }

    @Test func `an application's token is removed`() throws {
        #expect(
            try redactor("rtmp://host/app?token=12345678/key").clean("no access to app?token=12345678")
                == "no access to app?…")
    }

    @Test func `a very short key is removed only as a whole word`() throws {
        let redactor = try redactor("rtmp://host/live/a")
        #expect(redactor.clean("a server says: a is bad, live/a") == "… server says: … is bad, live/…")
    }

    @Test func `control characters are removed, and the text is truncated`() throws {
        let redactor = try redactor("rtmp://host/live/secret")
        #expect(redactor.clean("a\u{1B}[31mb\r\n\u{9B}c") == "a [31mb  c")
        #expect(redactor.clean("s\u{85}ecret") == "…")
        #expect(redactor.clean(String(repeating: "x", count: 1_000_000)).count == 300)
    }

    @Test func `a user name and a password are removed, from the URL or separate`() throws {
        #expect(try redactor("rtmp://annie:pa%3Ass@host/app/key").clean("annie with PA:SS") == "… with …")
        let other = SecretRedactor(
            try RTMPURL("rtmp://host/app/key"), credentials: RTMPCredentials(user: "bo", password: "x9"))
        // A short user name is part of many words, so it is not removed.
        #expect(other.clean("about x9") == "about …")
    }

    @Test(arguments: [
        "ab%2Fcd%3D%3D", "ab%2fcd==", "ab%252Fcd%253D%253D", "ab&#47;cd&#x3D;=", "ab\\/cd\\u003d\\x3D",
        "AB&sol;CD&equals;=", "YWIvY2Q9PQ==",
        "eGFiL2NkPT0", "61622f63643d3d",
    ])
    func `a secret is removed in every spelling`(spelling: String) {
        let clean = SecretRedactor(secrets: ["ab/cd=="]).clean("token \(spelling) is wrong")
        #expect(
            clean.hasPrefix("token ") && clean.hasSuffix(" is wrong") && clean.contains("…") && clean.utf8.count < 30,
            "\(clean)")
    }

    @Test func `no spelling of a random secret survives`() {
        var generator = SplitMix64(state: 11)
        for _ in 0..<3000 {
            FuzzTargets.secrets(
                (0..<Int.random(in: 6...120, using: &generator)).map { _ in
                    UInt8.random(in: .min ... .max, using: &generator)
                })
        }
    }

    @Test func `escapes that are not the secret remain, and do not end the search`() {
        let redactor = SecretRedactor(secrets: ["secret"])
        #expect(redactor.clean("100% \\n & &amp; %zz &#; %") == "100% \\n & &amp; %zz &#; %")
        #expect(redactor.clean(String(repeating: "%25", count: 40) + "secret").hasSuffix("…"))
    }
}
