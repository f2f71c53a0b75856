import RTMP
import Testing

@Suite struct AuthenticationChallengeTests {
    private static let credentials = RTMPCredentials(user: "ann", password: "pa:ss")

    private func answer(_ description: String, app: String = "live", credentials: RTMPCredentials = Self.credentials)
        throws -> String
    {
        try #require(AuthenticationChallenge(description)).answer(credentials, clientChallenge: "deadbeef", app: app)
    }

    @Test func `the first answer contains the scheme and the user name`() throws {
        #expect(
            try answer("[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : ")
                == "?authmod=adobe&user=ann")
        #expect(
            try answer("[ AccessManager.Reject ] : [ code=403 need auth; authmod=llnw ] : ") == "?authmod=llnw&user=ann"
        )
    }

    // The expected responses were computed with Python's hashlib and base64.
    @Test func `Adobe's response depends on the salt, the opaque value and the client challenge`() throws {
        #expect(
            try answer(
                "[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=ann&salt=SALT==&challenge=CHAL==&opaque=OPAQ=="
            )
                == "?authmod=adobe&user=ann&challenge=deadbeef&response=pqTpDdGKlLpA4bDTda/3xA==&opaque=OPAQ==")
    }

    @Test func `without an opaque value, the response uses the server's challenge`() throws {
        #expect(
            try answer("[ authmod=adobe ] : ?reason=needauth&user=ann&salt=SALT==&challenge=CHAL==")
                == "?authmod=adobe&user=ann&challenge=deadbeef&response=joh8EFOuqAVOTUVGInOAtg==")
    }

    @Test(arguments: [("live", "952f3218dc93d11afedb8273123978fc"), ("a/b", "065beb7d85a9f7e1b9fdce595f70ef01")])
    func `Limelight's response is an HTTP digest of the application's path`(app: String, response: String) throws {
        #expect(
            try answer("[ AccessManager.Reject ] : [ authmod=llnw ] : ?reason=needauth&user=ann&nonce=NONCE", app: app)
                == "?authmod=llnw&user=ann&nonce=NONCE&cnonce=deadbeef&nc=00000001&response=\(response)")
    }

    @Test func `a user name is encoded in the query, and not in the response`() throws {
        func query(_ description: String, _ user: String) throws -> String {
            try answer(description, credentials: RTMPCredentials(user: user, password: "pa:ss"))
        }
        let (user, encoded) = ("a&b=c +%é", "a%26b%3Dc%20%2B%25%C3%A9")
        #expect(try query("[ authmod=adobe ]", user) == "?authmod=adobe&user=\(encoded)")
        #expect(
            try query("[ authmod=adobe ] : ?reason=needauth&salt=SALT==&opaque=OPAQ==", user)
                == "?authmod=adobe&user=\(encoded)&challenge=deadbeef&response=Yw+bAY1xdSuLj/JQNcOK8A==&opaque=OPAQ==")
        #expect(
            try query("[ authmod=llnw ] : ?reason=needauth&nonce=NONCE", user)
                == "?authmod=llnw&user=\(encoded)&nonce=NONCE&cnonce=deadbeef&nc=00000001&response=875bb63e3e70a079e50356856c8c4af7"
        )
        #expect(try query("[ authmod=adobe ]", "ann.b-c_d@example.com") == "?authmod=adobe&user=ann.b-c_d@example.com")
    }

    @Test(arguments: ["authfailed", "nosuchuser", "expired", ""])
    func `any other reason is a refusal`(reason: String) {
        #expect(AuthenticationChallenge("[ authmod=adobe ] : ?reason=\(reason)&opaque=x")?.reason == .refused)
    }

    @Test(arguments: [
        "", "no", "authmod=", "authmod=kerberos ] : ?reason=needauth", "[ AccessManager.Reject ] : [ code=404 ]",
    ])
    func `an unrelated description is not a challenge`(description: String) {
        #expect(AuthenticationChallenge(description) == nil)
    }

    // RFC 4648, 10.
    @Test func `Base 64 is padded`() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map {
            AuthenticationChallenge.base64(Array($0.utf8))
        }
        #expect(encoded == ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"])
    }
}
