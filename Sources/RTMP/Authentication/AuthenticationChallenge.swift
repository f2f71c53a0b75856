/// What a server says in the description of a rejected `connect` when it wants a user's name and password:
/// `[ AccessManager.Reject ] : [ authmod=adobe ] : ?reason=needauth&user=…&salt=…&challenge=…&opaque=…`.
///
/// The two schemes are Adobe's and Limelight's; neither is in the specification, servers and publishers agree on them by use.
package struct AuthenticationChallenge: Equatable, Sendable {
    package enum Scheme: String, Sendable {
        case adobe
        case llnw
    }

    package enum Reason: Equatable, Sendable {
        /// A user's name is wanted first.
        case nameWanted
        /// Here is what the answer is made from.
        case responseWanted
        /// The name or the response was wrong.
        case refused
    }

    package let scheme: Scheme
    package let reason: Reason
    /// `salt`, `challenge`, `opaque` or `nonce`.
    let fields: [String: String]

    /// nil where the description is about something else.
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
        // Values in Base64 end with equals signs: only the first one separates.
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
