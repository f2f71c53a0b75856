import Media

/// Where to publish: `rtmp://[user:password@]host[:port]/app/key`.
///
/// The last component of the path, with the query after it, is the stream key. The components before it are the
/// application. Neither is percent-decoded: the server receives the text that the user typed. The user name and the
/// password are percent-decoded (RFC 3986, 3.2.1). Neither `description` nor a dump shows the credentials or the key.
public struct RTMPURL: Hashable, Sendable {
    /// The scheme of the URL.
    public enum Scheme: String, Hashable, Sendable {
        case rtmp
        /// RTMP over TLS.
        case rtmps

        /// 1935 for `rtmp`, 443 for `rtmps`.
        public var defaultPort: Int {
            switch self {
            case .rtmp: 1935
            case .rtmps: 443
            }
        }
    }

    /// Plain RTMP, or RTMP over TLS.
    public let scheme: Scheme
    /// A host name or an IP address. An IPv6 address has no brackets here.
    public let host: String
    /// The TCP port. If the URL has none, the scheme's default port.
    public let port: Int
    /// The credentials for servers that require authentication, or nil if the URL has none.
    public let credentials: RTMPCredentials?
    /// The application, including its query if it has one.
    package let app: String
    /// The stream key, including its query if it has one. This is a secret.
    package let streamKey: String

    /// Parses `text`. If `streamKey` is nil, the last component of the path is the key; otherwise the whole path is the
    /// application.
    public init(_ text: String, streamKey: String? = nil) throws(RTMPURLError) {
        guard (text + (streamKey ?? "")).utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { throw .invalidCharacter }
        guard let schemeEnd = text.firstRange(of: "://"), let scheme = Scheme(rawValue: text[..<schemeEnd.lowerBound].lowercased()) else {
            throw .unknownScheme
        }
        let rest = text[schemeEnd.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let at = authority.lastIndex(of: "@")
        credentials = try at.map { mark throws(RTMPURLError) in try Self.credentials(authority[..<mark]) }
        let place = at.map { authority[authority.index(after: $0)...] } ?? authority
        (host, port) = try Self.hostAndPort(place, scheme: scheme)
        self.scheme = scheme
        let path = rest[authority.endIndex...].drop { $0 == "/" }
        if let streamKey {
            app = String(path.last == "/" ? path.dropLast() : path)
            self.streamKey = streamKey
        } else {
            (app, self.streamKey) = Self.appAndKey(path)
        }
        guard !self.streamKey.isEmpty else { throw .missingKey }
        guard !app.isEmpty else { throw .missingApp }
    }

    /// Creates a copy of `url` with other credentials.
    package init(_ url: RTMPURL, credentials: RTMPCredentials?) {
        (scheme, host, port) = (url.scheme, url.host, url.port)
        (app, streamKey) = (url.app, url.streamKey)
        self.credentials = credentials
    }

    private static func credentials(_ text: Substring) throws(RTMPURLError) -> RTMPCredentials {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { throw .credentials }
        let parts = [text[..<colon], text[text.index(after: colon)...]].map { String(decoding: PercentEncoding.decode($0), as: UTF8.self) }
        return RTMPCredentials(user: parts[0], password: parts[1])
    }

    private static func hostAndPort(_ authority: Substring, scheme: Scheme) throws(RTMPURLError) -> (String, Int) {
        var host = authority
        var portText: Substring?
        if authority.first == "[" {
            guard let bracket = authority.firstIndex(of: "]") else { throw .invalidHost }
            host = authority[authority.index(after: authority.startIndex)..<bracket]
            let behind = authority[authority.index(after: bracket)...]
            guard behind.isEmpty || behind.first == ":" else { throw .invalidHost }
            portText = behind.isEmpty ? nil : behind.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            portText = authority[authority.index(after: colon)...]
        }
        guard !host.isEmpty else { throw .invalidHost }
        guard let portText else { return (String(host), scheme.defaultPort) }
        guard let port = Int(portText), (1...65_535).contains(port) else { throw .invalidPort }
        return (String(host), port)
    }

    /// Splits the path at its last slash. A slash within a query counts only if the path has no slash, for servers
    /// whose application carries the query (`app?token=…/key`).
    private static func appAndKey(_ path: Substring) -> (app: String, key: String) {
        let plainPath = path.prefix { $0 != "?" }
        guard let slash = plainPath.lastIndex(of: "/") ?? path.lastIndex(of: "/") else { return (String(path), "") }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// The URL without the key, as the `connect` command requires it. A default port is omitted.
    package var tcURL: String { "\(scheme.rawValue)://\(authority)/\(app)" }

    /// The host and, if it is not the scheme's default, the port.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? host : "\(host):\(port)"
    }
}

extension RTMPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `rtmp://host/app/…`, without the key and without a query. Only the first component of the application is shown: if
    /// the key was given twice, once in the address and once apart, the second component is the key.
    public var description: String { "\(scheme.rawValue)://\(authority)/\(app.prefix { $0 != "?" && $0 != "/" })/…" }
    public var debugDescription: String { description }
    /// Omits the properties, so that a dump does not show them.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
