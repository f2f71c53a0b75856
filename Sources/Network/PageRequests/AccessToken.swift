/// The secret in the address for viewers.
package enum AccessToken {
    /// The least number of characters of a token that the user chooses.
    package static let shortest = 8
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// 22 characters of base64url (RFC 4648, section 5), which have 132 bits from the system's generator.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String(
            (0..<22).map { _ in
                let bits: UInt64 = generator.next()
                return alphabet[Int(bits & 63)]
            })
    }

    package static func isValid(_ token: String) -> Bool {
        (shortest...128).contains(token.count) && token.allSatisfy(alphabet.contains)
    }

    /// Compares in a time that does not depend on where the texts differ.
    package static func matches(_ given: some StringProtocol, _ token: String) -> Bool {
        let (given, token) = (Array(given.utf8), Array(token.utf8))
        guard given.count == token.count else { return false }
        return zip(given, token).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
