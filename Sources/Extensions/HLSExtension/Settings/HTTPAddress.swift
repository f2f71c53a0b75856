/// An HTTP address to which objects are uploaded. Each object has its own URL: a name in a folder, or a name in a
/// template.
package struct HTTPAddress: Equatable {
    /// The parts of the URL before and after an object's name.
    private let before: String
    private let behind: String
    /// Host and port, for messages.
    package let host: String
    /// The host without its port: a name, or an IP address without brackets.
    package var hostName: String {
        if host.first == "[" { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }
    /// True for https.
    package let isSecure: Bool
    /// The name of the playlist, or nil if the address does not contain it.
    package let playlist: String?

    /// Returns nil if the text is not a usable address.
    ///
    /// - Parameter text: an http or https address. `{file}` is replaced by the name of each object. If the address ends
    ///   with `=`, as YouTube's does, names are appended. If it ends with the name of a playlist, the other objects are
    ///   stored next to the playlist. Otherwise it is a folder. The query of a folder or a playlist is used for every
    ///   object.
    package init?(_ text: String) {
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        isSecure = scheme == "https://"
        let rest = text.dropFirst(scheme.count)
        host = String(rest.prefix { !"/?#".contains($0) })
        guard !host.isEmpty, !host.contains("@"), !text.contains("#"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        if let place = text.firstRange(of: "{file}") {
            before = String(text[..<place.lowerBound])
            behind = String(text[place.upperBound...])
            playlist = nil
        } else if text.hasSuffix("=") {
            before = text
            behind = ""
            playlist = nil
        } else {
            let path = text.prefix { $0 != "?" }
            behind = String(text[path.endIndex...])
            let hasPath = rest.prefix { $0 != "?" }.contains("/")
            let last = hasPath ? path.split(separator: "/", omittingEmptySubsequences: false).last ?? "" : ""
            if last.hasSuffix(".m3u8") || last.hasSuffix(".m3u") {
                playlist = String(last)
                before = String(path.dropLast(last.count))
            } else {
                playlist = nil
                before = path.hasSuffix("/") ? String(path) : path + "/"
            }
        }
    }

    /// Returns the URL of the object `name`.
    package func url(of name: String) -> String { before + name + behind }
}
