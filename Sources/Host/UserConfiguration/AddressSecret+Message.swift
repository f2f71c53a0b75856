/// Removes secrets from messages.
extension AddressSecret {
    /// Returns `message` with `…` in place of what may be secret in its addresses, mistyped ones too: the user and the
    /// password in front of a host, and everything after the host. An address extends to the next white space, or to
    /// the end of its quotes.
    ///
    /// Addresses without a key (`rtmp://HOST/APP/KEY` in an instruction, `rtmp://host/app/…`) stay as they are.
    ///
    /// - Parameter folderExists: see `MistypedAddress.matches`.
    package static func cleaning(
        _ message: String, folderExists: (String) -> Bool = { FileStatus($0)?.isFolder == true }
    ) -> String {
        var clean = ""
        var rest = message[...]
        while let start = rest.firstIndex(where: { !$0.isWhitespace && !opening.contains($0) }) {
            clean += rest[..<start]
            let quote = start > message.startIndex ? message[message.index(before: start)] : nil
            let word = word(at: start, in: message, quote: quote)
            clean += cleaned(word, folderExists: folderExists)
            rest = message[word.endIndex...]
        }
        return clean + rest
    }

    private static let opening = "\"'(["
    private static let closing = "\"')].,:;!?"
    /// The parts of addresses in instructions.
    private static let placeholders: Set<Substring> = ["HOST", "PORT", "APP", "KEY", "USER", "PASSWORD", "host", "app"]

    /// The text from `start` to the next white space. White space in front of the closing quote belongs to an address.
    private static func word(at start: String.Index, in message: String, quote: Character?) -> Substring {
        let word = message[start...].prefix { !$0.isWhitespace }
        guard let quote, "\"'".contains(quote), word.firstRange(of: "://") != nil,
            let end = message[start...].firstIndex(of: quote), end > word.endIndex
        else { return word }
        return message[start..<message[end...].prefix { !$0.isWhitespace }.endIndex]
    }

    private static func cleaned(_ word: Substring, folderExists: (String) -> Bool) -> String {
        var address = word
        while let last = address.last, closing.contains(last) { address.removeLast() }
        let end = String(word[address.endIndex...])
        guard let scheme = address.firstRange(of: "://") else {
            let value = address.hasPrefix("--") ? address.drop { $0 != "=" }.dropFirst() : address
            guard let start = MistypedAddress.secretStart(in: value, isDestination: false, folderExists: folderExists)
            else { return String(word) }
            return "\(address[..<start])…\(end)"
        }
        let rest = address[scheme.upperBound...]
        if rest.split(whereSeparator: { ":@/".contains($0) }).allSatisfy(placeholders.contains) { return String(word) }
        let authority = rest.prefix { !"/?#".contains($0) }
        let hidden = rest[authority.endIndex...]
        // A "/" in a password ends the authority before the host.
        let port = authority.firstIndex(of: ":").map { authority[authority.index(after: $0)...] } ?? ""
        if !authority.contains("@"), hidden.contains("@"), !port.allSatisfy(\.isNumber) {
            return "\(address[..<scheme.upperBound])…\(end)"
        }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let isHarmless =
            hidden.allSatisfy { $0 == "/" } || hidden.last == "…" && hidden.count(where: { $0 == "/" }) == 2
        return "\(address[..<scheme.upperBound])\(host)\(isHarmless ? String(hidden) : "\(hidden.prefix(1))…")\(end)"
    }
}
