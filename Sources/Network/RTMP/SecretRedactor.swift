import Media

/// Takes a URL's secrets out of a server's own words, before anyone reads them.
///
/// It removes the stream key, the key without its query, the values in the queries of the key and the application, the
/// user name and the password, in upper or lower case, and in every spelling that servers and libraries use:
/// percent-encoded (RFC 3986, 2.1), also twice, as HTML character references, with escapes of JSON and C, in
/// hexadecimal and in Base64.
package struct SecretRedactor: Sendable {
    /// The maximum length of the result in characters.
    private static let maximumLength = 300
    /// Values shorter than this number of bytes are options, not secrets (`?v=1`).
    private static let minimumValueLength = 4

    /// Secrets from this number of bytes on are recognized in hexadecimal and in Base64.
    private static let minimumEncodedLength = 6

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
            found += query.split(whereSeparator: { $0 == "&" || $0 == "?" }).map {
                String($0.drop { $0 != "=" }.dropFirst())
            }
            .filter { $0.utf8.count >= Self.minimumValueLength }
        }
        self.init(secrets: found)
    }

    /// Creates a redactor for these secrets, in any spelling.
    package init(secrets found: [String]) {
        let plain = found.flatMap { [Array($0.utf8), PercentEncoding.decode($0)] }
        let spellings =
            plain
            + plain.filter { $0.count >= Self.minimumEncodedLength }.flatMap {
                [Self.hexadecimal($0)] + Self.base64($0)
            }
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
            if let count = secrets.lazy.compactMap({ Self.length(of: $0, at: remaining, after: output.last) }).first {
                output += Array("…".utf8)
                remaining = remaining.dropFirst(count)
            } else {
                output.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
                remaining = remaining.dropFirst()
            }
        }
        return String(
            String.UnicodeScalarView(String(decoding: output, as: UTF8.self).unicodeScalars.prefix(Self.maximumLength)))
    }

    /// Returns the number of bytes with which `text` begins with `secret` in any spelling; nil if it does not. A short
    /// secret matches only as a whole word.
    private static func length(of secret: [UInt8], at text: ArraySlice<UInt8>, after before: UInt8?) -> Int? {
        guard let end = end(of: secret[...], in: text) else { return nil }
        guard secret.count < minimumValueLength else { return end - text.startIndex }
        let isWithinWord = [before, text[end...].first].contains { $0.map(isPartOfWord) ?? false }
        return isWithinWord ? nil : end - text.startIndex
    }

    /// Returns the index after `secret`, with which `text` begins; nil if it does not.
    private static func end(of secret: ArraySlice<UInt8>, in text: ArraySlice<UInt8>) -> Int? {
        guard let wanted = secret.first else { return text.startIndex }
        guard let byte = text.first else { return nil }
        if lowercased(byte) == wanted, let end = end(of: secret.dropFirst(), in: text.dropFirst()) { return end }
        for (bytes, count) in EscapedText.readings(of: text) where secret.starts(with: bytes.lazy.map(lowercased)) {
            if let end = end(of: secret.dropFirst(bytes.count), in: text.dropFirst(count)) { return end }
        }
        return nil
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in
            [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
        }
    }

    /// The characters of Base64 (RFC 4648, sections 4 and 5) that belong to `bytes` alone, at the three places in a
    /// group of bytes.
    private static func base64(_ bytes: [UInt8]) -> [[UInt8]] {
        [("+", "/"), ("-", "_")].flatMap { (plus, slash) -> [[UInt8]] in
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(plus)\(slash)".utf8)
            return (0..<3).map { shift in
                let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
                // The first character that has no bit of the byte before.
                let first = [0, 4, 2][shift]
                return stride(from: first, to: bits.count - 5, by: 6).map { start in
                    alphabet[Int(bits[start..<start + 6].reduce(0) { $0 << 1 | $1 })]
                }
            }
        }
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte)) || byte >= 0x80
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
