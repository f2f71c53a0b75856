import Media

/// Takes a URL's secrets out of a server's own words, before anyone reads them.
///
/// It removes the stream key, the key without its query, the values in the queries of the key and the application, the
/// user name and the password. It also removes their percent-decoded forms and ignores case.
package struct SecretRedactor: Sendable {
    /// The maximum length of the result in characters.
    private static let maximumLength = 300
    /// Values shorter than this number of bytes are options, not secrets (`?v=1`).
    private static let minimumValueLength = 4

    /// Lowercase bytes, the longest secret first.
    private let secrets: [[UInt8]]

    /// - Parameter credentials: the credentials in use, if they are not those of the URL.
    package init(_ url: RTMPURL, credentials: RTMPCredentials? = nil) {
        let key = url.streamKey
        var found = [key, String(key.prefix { $0 != "?" })]
        for own in [url.credentials, credentials].compactMap({ $0 }) {
            found.append(own.password)
            if own.user.utf8.count >= Self.minimumValueLength { found.append(own.user) }
        }
        for text in [key, url.app] {
            let query = text.drop { $0 != "?" }.dropFirst()
            if !query.isEmpty { found.append(String(query)) }
            found += query.split(whereSeparator: { $0 == "&" || $0 == "?" }).map { String($0.drop { $0 != "=" }.dropFirst()) }
                .filter { $0.utf8.count >= Self.minimumValueLength }
        }
        self.init(secrets: found)
    }

    /// Creates a redactor for these secrets, in any spelling.
    package init(secrets found: [String]) {
        let spellings = found.flatMap { [Array($0.utf8), PercentEncoding.decode($0)] }
        secrets = Set(spellings.map { $0.map(Self.lowercased) }).filter { !$0.isEmpty }.sorted { $0.count > $1.count }
    }

    /// Returns `text` without secrets and without control characters, truncated to 300 characters.
    package func clean(_ text: String) -> String {
        // C1 control characters are two bytes in UTF-8, and terminals interpret them. Remove them first, so that they
        // cannot split a secret.
        let scalars = text.unicodeScalars.prefix(16 * Self.maximumLength).filter { !(0x80...0x9F).contains($0.value) }
        var remaining = Array(String(String.UnicodeScalarView(scalars)).utf8)[...]
        var output: [UInt8] = []
        while let byte = remaining.first {
            if let secret = secrets.first(where: { Self.starts(remaining, with: $0, after: output.last) }) {
                output += Array("…".utf8)
                remaining = remaining.dropFirst(secret.count)
            } else {
                output.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
                remaining = remaining.dropFirst()
            }
        }
        return String(String.UnicodeScalarView(String(decoding: output, as: UTF8.self).unicodeScalars.prefix(Self.maximumLength)))
    }

    /// Returns true if `text` starts with `secret`. A short secret matches only as a whole word.
    private static func starts(_ text: ArraySlice<UInt8>, with secret: [UInt8], after before: UInt8?) -> Bool {
        guard text.count >= secret.count, zip(text, secret).allSatisfy({ lowercased($0) == $1 }) else { return false }
        guard secret.count < minimumValueLength else { return true }
        return ![before, text.dropFirst(secret.count).first].contains { $0.map(isPartOfWord) ?? false }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte)) || byte >= 0x80
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
