import NIOHTTP1

/// Which request is answered with what. A value without I/O.
package struct RequestRules: Sendable {
    package enum Answer: Equatable {
        /// The path without its last slash: the page is a folder, so that its links are short.
        case redirect(to: String)
        case page
        case socket(withSound: Bool)
        /// Also for a wrong token: it does not tell what exists.
        case notFound
    }

    package let token: String
    /// The hosts that a request may name, as in `Host`: addresses of this computer, with the port. A page of another
    /// host that resolves to this computer (DNS rebinding) is not among them.
    package let hosts: Set<String>

    package init(token: String, hosts: Set<String>) {
        (self.token, self.hosts) = (token, hosts)
    }

    package func answer(to head: HTTPRequestHead) -> Answer {
        guard head.method == .GET, head.headers["host"].count == 1, let host = head.headers.first(name: "host"),
            hosts.contains(host.lowercased())
        else { return .notFound }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard path.count >= 2, path[0].isEmpty, AccessToken.matches(path[1], token) else { return .notFound }
        switch path.dropFirst(2) {
        case []: return .redirect(to: "/\(token)/")
        case [""]: return .page
        case ["ws"]:
            // A page of another site must not watch with the user's browser.
            guard head.headers["origin"] == ["http://" + host] else { return .notFound }
            return .socket(withSound: parts.count == 2 && parts[1] == "sound=1")
        default: return .notFound
        }
    }
}
