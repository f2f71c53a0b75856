import NIOHTTP1

/// Which request is answered with what. A value without I/O.
package struct RequestRules: Sendable {
    package enum Answer: Equatable {
        /// The path without its last slash: the page is a folder, so that its links are short.
        case redirect(to: String)
        case page
        case socket(SocketMedia)
        /// A session description to answer (WHEP, draft-ietf-wish-whep). `socket`: the name of the page's socket, which
        /// already counts as a viewer.
        case offer(socket: String?)
        /// The end of a session of WHEP.
        case endOfSession(String)
        /// A playlist of HLS, a header or a segment, which possibly does not exist.
        case segmented(name: String)
        /// Also for a wrong token: it does not tell what exists.
        case notFound
    }

    package let token: String
    /// The hosts that a request may name, as in `Host`: addresses of this computer, with the port. A page of another
    /// host that resolves to this computer (DNS rebinding) is not among them.
    package let hosts: Set<String>
    /// True if the page comes by HTTPS.
    package let isEncrypted: Bool
    /// The sites whose pages may contain the page.
    package let embedders: [String]

    package init(token: String, hosts: Set<String>, isEncrypted: Bool = false, embedders: [String] = []) {
        (self.token, self.hosts, self.isEncrypted, self.embedders) = (token, hosts, isEncrypted, embedders)
    }

    package func answer(to head: HTTPRequestHead) -> Answer {
        guard let host = host(of: head) else { return .notFound }
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard hasSecret(path) else { return .notFound }
        let query = parts.count == 2 ? parts[1] : ""
        let origins = head.headers["origin"]
        let isOwn = origins == [origin(of: host)]
        switch (head.method, path.dropFirst(2).map(String.init)) {
        // A program looks with HEAD whether the address is right.
        case (.GET, []), (.HEAD, []): return .redirect(to: "/\(token)/")
        case (.GET, [""]), (.HEAD, [""]): return .page
        // A page of another site must not watch with the user's browser. A program that is no browser sends no Origin,
        // but only the page has a use for the socket.
        case (.GET, ["ws"]) where isOwn: return .socket(SocketMedia(query: query))
        case (.POST, ["whep"]) where isOwn || origins.isEmpty:
            return .offer(socket: query.hasPrefix("socket=") ? String(query.dropFirst(7)) : nil)
        case (.DELETE, let rest) where rest.count == 2 && rest[0] == "whep" && (isOwn || origins.isEmpty):
            return .endOfSession(rest[1])
        case (.GET, let rest)
        where rest.count == 1 && [".m3u8", ".m4s", ".mp4"].contains(where: rest[0].hasSuffix)
            && (isOwn || origins.isEmpty):
            return .segmented(name: rest[0])
        default: return .notFound
        }
    }

    /// Why a request is answered with `notFound`; nil if what it asks for does not exist.
    package func refusal(of head: HTTPRequestHead) -> RefusalLog.Reason? {
        guard let host = host(of: head) else { return .foreignHost }
        let path = head.uri.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        // Browsers look for these by themselves.
        let isIcon = path.count == 2 && (path[1] == "favicon.ico" || path[1].hasPrefix("apple-touch-icon"))
        guard hasSecret(path) || isIcon else { return .wrongSecret }
        return head.headers["origin"].allSatisfy { $0 == origin(of: host) } ? nil : .foreignSite
    }

    /// The host that a request names, if it is one of `hosts`.
    private func host(of head: HTTPRequestHead) -> String? {
        guard head.headers["host"].count == 1, let host = head.headers.first(name: "host"),
            hosts.contains(host.lowercased())
        else { return nil }
        return host
    }

    private func hasSecret(_ path: [Substring]) -> Bool {
        path.count >= 2 && path[0].isEmpty && AccessToken.matches(path[1], token)
    }

    /// The origin of the page at a host.
    private func origin(of host: String) -> String { (isEncrypted ? "https://" : "http://") + host }
}

/// What a socket of the page carries beside notices.
package enum SocketMedia: Equatable, Sendable {
    /// The page gets the stream by WebRTC.
    case none
    case pictures
    case picturesAndSound

    package init(query: some StringProtocol) {
        self = query == "media=none" ? .none : query == "sound=1" ? .picturesAndSound : .pictures
    }
}
