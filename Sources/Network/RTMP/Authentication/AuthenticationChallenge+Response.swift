import FoundationEssentials
import Media

extension AuthenticationChallenge {
    /// Returns the query that the client appends to the application name in the next `connect`.
    ///
    /// - Parameter clientChallenge: eight hexadecimal digits, different for each call.
    package func answer(_ credentials: RTMPCredentials, clientChallenge: String, app: String) -> String {
        switch (reason, scheme) {
        case (.nameWanted, _), (.refused, _): "?authmod=\(scheme.rawValue)&user=\(Self.encoded(credentials.user))"
        case (.responseWanted, .adobe): adobe(credentials, clientChallenge)
        case (.responseWanted, .llnw): limelight(credentials, clientChallenge, app: app)
        }
    }

    /// Computes Base64(MD5(Base64(MD5(user + salt + password)) + (opaque, or the server's challenge) + client
    /// challenge)).
    private func adobe(_ credentials: RTMPCredentials, _ clientChallenge: String) -> String {
        let secret = Self.base64(Self.digest(credentials.user + (fields["salt"] ?? "") + credentials.password))
        let response = Self.base64(
            Self.digest(secret + (fields["opaque"] ?? fields["challenge"] ?? "") + clientChallenge))
        return "?authmod=adobe&user=\(Self.encoded(credentials.user))&challenge=\(clientChallenge)&response=\(response)"
            + (fields["opaque"].map { "&opaque=\($0)" } ?? "")
    }

    /// Computes an HTTP digest (RFC 2617, 3.2.2.1) for the realm `live`, the method `publish` and the application's
    /// path.
    private func limelight(_ credentials: RTMPCredentials, _ clientChallenge: String, app: String) -> String {
        let nonce = fields["nonce"] ?? ""
        let count = "00000001"
        let path = app.contains("/") ? app : app + "/_definst_"
        let secret = Self.hexadecimal(Self.digest("\(credentials.user):live:\(credentials.password)"))
        let place = Self.hexadecimal(Self.digest("publish:/\(path)"))
        let response = Self.hexadecimal(Self.digest("\(secret):\(nonce):\(count):\(clientChallenge):auth:\(place)"))
        return
            "?authmod=llnw&user=\(Self.encoded(credentials.user))&nonce=\(nonce)&cnonce=\(clientChallenge)&nc=\(count)&response=\(response)"
    }

    /// Returns the user name as the value of a query can hold it (RFC 3986, 3.4). What separates values or can mean a
    /// space is encoded too. The digests are of the name itself.
    private static func encoded(_ user: String) -> String {
        PercentEncoding.encode(user) { PercentEncoding.isUnreserved($0) || "!$'()*,/:@".utf8.contains($0) }
    }

    private static func digest(_ text: String) -> [UInt8] { MD5.digest(Array(text.utf8)) }

    /// Base 64 with the ordinary alphabet and padding (RFC 4648, 4).
    package static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
