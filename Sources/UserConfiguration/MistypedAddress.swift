import Upload

/// A word that was given as a destination and is neither an address nor a file, but can contain a stream key:
/// `rtmp:/host/app/key`, `live.twitch.tv/app/key`, `twitch:key`. It is refused before anything is done with it, and is never repeated.
package enum MistypedAddress {
    /// Whether `word` is such a word.
    ///
    /// - Parameters:
    ///   - isDestination: true if it stands where only a destination can stand.
    ///   - folderExists: whether there is a folder of this name. It is asked for the first component of a path.
    package static func matches(_ word: String, isDestination: Bool, folderExists: (String) -> Bool) -> Bool {
        secretStart(in: word[...], isDestination: isDestination, folderExists: folderExists) != nil
    }

    /// Returns where the part begins that can contain a key; nil if `word` is not such a word.
    static func secretStart(in word: Substring, isDestination: Bool, folderExists: (String) -> Bool) -> Substring.Index? {
        guard word.firstRange(of: "://") == nil else { return nil }
        let component = word.prefix { $0 != "/" }
        if let colon = component.firstIndex(of: ":") {
            let name = component[..<colon]
            let rest = word[word.index(after: colon)...]
            guard !name.isEmpty, !rest.isEmpty else { return nil }
            let isKnown = isScheme(name) || KnownService.named(name.lowercased()) != nil || isHost(name)
            let isFile = ContainerFormat(ending: String(word)) != nil && (!canBeScheme(name) || isTime(name, rest))
            return isKnown || isDestination && !isFile ? rest.startIndex : nil
        }
        let rest = word[component.endIndex...].drop { $0 == "/" }
        guard !rest.isEmpty, ContainerFormat(ending: String(word)) == nil else { return nil }
        if isScheme(component), word[component.endIndex...].hasPrefix("//") { return rest.startIndex }
        return isHost(component) && rest.last != "/" && !folderExists(String(component)) ? rest.startIndex : nil
    }

    private static func isScheme(_ name: Substring) -> Bool { ["rtmp", "rtmps"].contains(name.lowercased()) }

    /// The form of a scheme (RFC 3986, section 3.1). The scheme of an extension can also have `_`.
    private static func canBeScheme(_ name: Substring) -> Bool {
        guard let first = name.first, first.isASCII, first.isLetter else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    }

    /// Whether the colon between both parts is that of a time in a file's name, as in `talk-10:30.mp4`.
    private static func isTime(_ before: Substring, _ after: Substring) -> Bool {
        before.last?.isNumber == true && after.first?.isNumber == true
    }

    /// A host name of at least two labels, of which the last one has letters only (RFC 3696, section 2).
    private static func isHost(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy({ $0.isASCII && $0.isLetter }) else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-" && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
