/// Where objects are put by HTTP. Each gets an address of its own: a name behind a folder, or a name in a template.
package struct HTTPAddress: Equatable {
    /// What stands before and behind an object's name.
    private let before: String
    private let behind: String
    /// Host and port, for messages.
    package let host: String
    /// What the playlist is called, where the address says it.
    package let playlist: String?

    /// - Parameter text: an http or https address. `{file}` in it is replaced by each object's name; where it ends with `=`, as YouTube's
    ///   does, names are put there; where it ends with the name of a playlist, the others lie beside it; else it is a folder.
    ///   A query behind a folder or a playlist goes with every object.
    package init?(_ text: String) {
        guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        host = String(rest.prefix { !"/?#".contains($0) })
        guard !host.isEmpty, !host.contains("@"), !text.contains("#"), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
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

    /// The address of the object `name`.
    package func url(of name: String) -> String { before + name + behind }
}
