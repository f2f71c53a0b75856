/// The request for a user name and a password in the description of a rejected `connect`:
/// `[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=…&salt=…&challenge=…&opaque=…`.
///
/// The two schemes are Adobe's and Limelight's. The RTMP specification defines neither; they are conventions between
/// servers and publishers.
package struct AuthenticationChallenge: Equatable, Sendable {
    package enum Scheme: String, Sendable {
        case adobe
        case llnw
    }

    package enum Reason: Equatable, Sendable {
        /// The server asks for the user name.
        case nameWanted
        /// The server asks for a response, and `fields` holds the values that the response is computed from.
        case responseWanted
        /// The server rejected the user name or the response.
        case refused
    }

    package let scheme: Scheme
    package let reason: Reason
    /// The values that the server sent, by name: `salt`, `challenge`, `opaque` or `nonce`.
    let fields: [String: String]

    /// Parses the description of a rejection. Returns nil if the description does not ask for authentication.
    package init?(_ description: String) {
        guard let mark = description.firstRange(of: "authmod=") else { return nil }
        let name = description[mark.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let scheme = Scheme(rawValue: name.lowercased()) else { return nil }
        self.scheme = scheme
        guard let query = description.firstRange(of: "?reason=") else {
            reason = .nameWanted
            fields = [:]
            return
        }
        // Base64 values end with equals signs, so only the first equals sign separates the name from the value.
        let text = description[query.lowerBound...].dropFirst().prefix { !$0.isWhitespace }
        var fields: [String: String] = [:]
        for part in text.split(separator: "&") {
            let name = part.prefix { $0 != "=" }
            fields[String(name)] = String(part.dropFirst(name.count + 1))
        }
        reason = fields["reason"] == "needauth" ? .responseWanted : .refused
        self.fields = fields
    }
}
