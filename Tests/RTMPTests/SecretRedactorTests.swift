import RTMP
import Testing

@Suite struct SecretRedactorTests {
    private func redactor(_ url: String) throws -> SecretRedactor { SecretRedactor(try RTMPURL(url)) }

    @Test func `the key goes from a server's words, in any case`() throws {
        let redactor = try redactor("rtmp://host/live/sk_Abc123")
        #expect(redactor.clean("Stream sk_Abc123 is in use; SK_ABC123!") == "Stream … is in use; …!")
    }

    @Test func `a key's parts go as well`() throws {
        let redactor = try redactor("rtmp://host/live/name?sign=abcdef&v=1&e=a%2Fb%2Fc")
        #expect(redactor.clean("name?sign=abcdef&v=1&e=a%2Fb%2Fc") == "…")
        #expect(redactor.clean("bad sign abcdef for name") == "bad sign … for …")
        #expect(redactor.clean("got a/b/c and version 1") == "got … and version 1")
    }

    @Test func `an application's token goes`() throws {
        #expect(try redactor("rtmp://host/app?token=12345678/key").clean("no access to app?token=12345678") == "no access to app?…")
    }

    @Test func `a key as short as a syllable goes as a word, and leaves other words alone`() throws {
        let redactor = try redactor("rtmp://host/live/a")
        #expect(redactor.clean("a server says: a is bad, live/a") == "… server says: … is bad, live/…")
    }

    @Test func `control characters cannot reach a terminal, and a message is not endless`() throws {
        let redactor = try redactor("rtmp://host/live/secret")
        #expect(redactor.clean("a\u{1B}[31mb\r\n\u{9B}c") == "a [31mb  c")
        #expect(redactor.clean("s\u{85}ecret") == "…")
        #expect(redactor.clean(String(repeating: "x", count: 1_000_000)).count == 300)
    }

    @Test func `a user's name and password go, the URL's and others`() throws {
        #expect(try redactor("rtmp://annie:pa%3Ass@host/app/key").clean("annie with PA:SS") == "… with …")
        let other = SecretRedactor(try RTMPURL("rtmp://host/app/key"), credentials: RTMPCredentials(user: "bo", password: "x9"))
        // A name this short is in every other word.
        #expect(other.clean("about x9") == "about …")
    }
}
