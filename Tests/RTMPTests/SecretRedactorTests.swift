import RTMP
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
        #expect(try redactor("rtmp://host/app?token=12345678/key").clean("no access to app?token=12345678") == "no access to app?…")
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
        let other = SecretRedactor(try RTMPURL("rtmp://host/app/key"), credentials: RTMPCredentials(user: "bo", password: "x9"))
        // A short user name is part of many words, so it is not removed.
        #expect(other.clean("about x9") == "about …")
    }
}
