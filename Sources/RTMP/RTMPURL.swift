import Media

/// Where to publish: `rtmp://[user:password@]host[:port]/app/key`.
///
/// The last part of the path, with the query behind it, is the stream key; what stands before it is the application,
/// which may have several parts. None of it is percent-decoded: servers get what the user was given.
/// A user's name and password are (RFC 3986, 3.2.1). Neither `description` nor a dump shows them or the key.
public struct RTMPURL: Hashable, Sendable {
    /// What stands before `://`.
    public enum Scheme: String, Hashable, Sendable {
        case rtmp
        /// RTMP within TLS.
        case rtmps

        /// 1935 and 443.
        public var defaultPort: Int {
            switch self {
            case .rtmp: 1935
            case .rtmps: 443
            }
        }
    }

    /// Plain, or within TLS.
    public let scheme: Scheme
    /// A name or an address; an IPv6 address without its brackets.
    public let host: String
    /// The TCP port, the scheme's own where the URL has none.
    public let port: Int
    /// For servers that ask who publishes.
    public let credentials: RTMPCredentials?
    /// The application, with its query where it has one.
    package let app: String
    /// The stream key, with its query where it has one: a secret.
    package let streamKey: String

    /// Reads `text`. With `streamKey`, the whole path is the application; without, the key is the path's last part.
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

    /// `url` with these credentials.
    init(_ url: RTMPURL, credentials: RTMPCredentials?) {
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

    /// Splits at the last slash of the path. A query may hold slashes too: they count only where the path has none,
    /// for servers whose application carries the query (`app?token=…/key`).
    private static func appAndKey(_ path: Substring) -> (app: String, key: String) {
        let plainPath = path.prefix { $0 != "?" }
        guard let slash = plainPath.lastIndex(of: "/") ?? path.lastIndex(of: "/") else { return (String(path), "") }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    /// The URL without the key, as the `connect` command wants it: a default port is left out.
    package var tcURL: String { "\(scheme.rawValue)://\(authority)/\(app)" }

    /// The host and, where it is not the scheme's own, the port.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? host : "\(host):\(port)"
    }
}

extension RTMPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `rtmp://host/app/…`: neither the key nor a query.
    public var description: String { "\(scheme.rawValue)://\(authority)/\(app.prefix { $0 != "?" })/…" }
    public var debugDescription: String { description }
    /// Without the properties, which a dump would show.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
