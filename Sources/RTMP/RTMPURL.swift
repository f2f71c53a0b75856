/// Where to publish: `rtmp://host[:port]/app/key`.
///
/// The last part of the path, with the query behind it, is the stream key; what stands before it is the application,
/// which may have several parts. Nothing is percent-decoded: servers get what the user was given.
/// Neither `description` nor a dump shows the key.
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
        (host, port) = try Self.hostAndPort(authority, scheme: scheme)
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

    private static func hostAndPort(_ authority: Substring, scheme: Scheme) throws(RTMPURLError) -> (String, Int) {
        guard !authority.contains("@") else { throw .credentials }
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

    private var authority: String {
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
