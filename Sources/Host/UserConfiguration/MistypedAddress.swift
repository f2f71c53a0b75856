import Upload

/// A word that was given as a destination and is neither an address nor a file, but can contain a stream key:
/// `rtmp:/host/app/key`, `live.twitch.tv/app/key`, `twitch:key`. It is refused before anything is done with it, and is
/// never repeated.
///
/// A path whose first folder exists is a file. Without that folder, the file could not be created anyway.
package enum MistypedAddress {
    /// Whether `word` is such a word.
    ///
    /// - Parameters:
    ///   - isDestination: true if it stands where only a destination can stand.
    ///   - folderExists: whether there is a folder of this name. It is asked for the first component of a path, with
    ///     `/` in front of it if the path is absolute.
    package static func matches(_ word: String, isDestination: Bool, folderExists: (String) -> Bool) -> Bool {
        secretStart(in: word[...], isDestination: isDestination, folderExists: folderExists) != nil
    }

    /// Returns where the part begins that can contain a key; nil if `word` is not such a word.
    static func secretStart(in word: Substring, isDestination: Bool, folderExists: (String) -> Bool) -> Substring.Index?
    {
        guard word.firstRange(of: "://") == nil else { return nil }
        // An absolute path, or an address without its scheme: //host/app/key.
        let path = word.drop { $0 == "/" }
        let isAbsolute = path.startIndex != word.startIndex
        let component = path.prefix { $0 != "/" }
        if !isAbsolute, let colon = component.firstIndex(of: ":") {
            let name = component[..<colon]
            let rest = word[word.index(after: colon)...]
            guard !name.isEmpty, !rest.isEmpty else { return nil }
            // A number after a host is a port, or a line of a file.
            let isPort = rest.allSatisfy { $0.isNumber || ".:".contains($0) }
            let isKnown = isNearScheme(name) || KnownService.named(name.lowercased()) != nil || isHost(name) && !isPort
            let isFile = ContainerFormat(ending: String(word)) != nil && (!canBeScheme(name) || isTime(name, rest))
            return isKnown || isDestination && !isFile ? rest.startIndex : nil
        }
        let rest = path[component.endIndex...].drop { $0 == "/" }
        guard !rest.isEmpty, ContainerFormat(ending: String(word)) == nil else { return nil }
        let isScheme = !isAbsolute && isNearScheme(component)
        if isScheme, path[component.endIndex...].hasPrefix("//") { return rest.startIndex }
        guard isScheme || isHost(component.prefix { $0 != ":" }) else { return nil }
        return folderExists("\(isAbsolute ? "/" : "")\(component)") ? nil : rest.startIndex
    }

    /// True if `word` can be a stream key: long and with digits, and not the name or the path of a file.
    package static func isLikeAKey(_ word: String) -> Bool {
        word.utf8.count >= 12 && word.contains(where: \.isNumber) && !word.contains("/")
            && ContainerFormat(ending: word) == nil
    }

    /// True for `rtmp` and `rtmps`, also with one wrong, missing or additional letter. A name of three letters, such as
    /// `tmp`, does not count.
    private static func isNearScheme(_ name: Substring) -> Bool {
        (4...6).contains(name.count) && ["rtmp", "rtmps"].contains { NearestName.distance(name.lowercased(), $0) <= 1 }
    }

    /// The form of a scheme (RFC 3986, section 3.1). The scheme of an extension can also have `_`.
    private static func canBeScheme(_ name: Substring) -> Bool {
        guard let first = name.first, first.isASCII, first.isLetter else { return false }
        return name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-._".contains($0)) }
    }

    /// Whether the colon between both parts is that of a time in a file's name, as in `talk-10:30.mp4`.
    private static func isTime(_ before: Substring, _ after: Substring) -> Bool {
        before.last?.isNumber == true && after.first?.isNumber == true
    }

    /// A host name of at least two labels, of which the last one has letters only (RFC 3696, section 2), `localhost`,
    /// or the four numbers of an IPv4 address.
    private static func isHost(_ name: Substring) -> Bool {
        if name.lowercased() == "localhost" { return true }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if labels.count == 4, labels.allSatisfy({ UInt8($0) != nil }) { return true }
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty && label.first != "-" && label.last != "-"
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
