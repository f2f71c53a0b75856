import Media

/// A server and its application, without a stream key: `rtmp://[user:password@]host[:port]/app`. `RTMPURL` is an
/// address with a key.
///
/// Neither `description` nor a dump shows the credentials.
package struct RTMPAddress: Hashable, Sendable {
    package let scheme: RTMPURL.Scheme
    /// A host name or an IP address. An IPv6 address has no brackets here.
    package let host: String
    /// The TCP port. If the text has none, the scheme's default port.
    package let port: Int
    package private(set) var credentials: RTMPCredentials?
    /// The application, including its query if it has one.
    package let app: String

    /// Parses `text`. The whole path is the application.
    package init(_ text: String) throws(RTMPURLError) {
        let parts = try RTMPAddressParts(text)
        try self.init(parts, app: parts.app)
    }

    /// The web server of a URL: `https://host[:port]/…`, also after the name of an extension (`whip:https://…`).
    /// Returns nil for another one.
    package init?(webServerOf url: String) {
        let kinds = [("https://", RTMPURL.Scheme.rtmps, ""), ("http://", .rtmp, ":80")]
        for (start, scheme, standardPort) in kinds {
            guard let range = url.lowercased().firstRange(of: start), !url[..<range.lowerBound].contains("/") else {
                continue
            }
            let authority = url[range.upperBound...].prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
            let hasPort = authority.contains(":") && !authority.hasSuffix("]")
            let text = "\(scheme.rawValue)://\(authority)\(hasPort ? "" : standardPort)/-"
            guard let address = try? RTMPAddress(text) else { return nil }
            self = address
            return
        }
        return nil
    }

    /// Throws if there is no application.
    init(_ parts: RTMPAddressParts, app: String) throws(RTMPURLError) {
        guard !app.isEmpty else { throw .missingApp }
        (scheme, host, port) = (parts.scheme, parts.host, parts.port)
        credentials = parts.credentials
        self.app = app
    }

    /// Returns the same address with other credentials.
    func with(_ credentials: RTMPCredentials?) -> RTMPAddress {
        var address = self
        address.credentials = credentials
        return address
    }

    /// The text of the address, without the credentials. A default port is omitted.
    var text: String { "\(scheme.rawValue)://\(authority)/\(app)" }

    /// The host and, if it is not the scheme's default, the port.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? host : "\(host):\(port)"
    }
}

extension RTMPAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `rtmp://host/app/…`, without a query. Only the first component of the application is shown: if the text
    /// contained a key, it is the second component.
    package var description: String { "\(scheme.rawValue)://\(authority)/\(app.prefix { $0 != "?" && $0 != "/" })/…" }
    package var debugDescription: String { description }
    /// Omits the properties, so that a dump does not show them.
    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }
}

/// The parts of an address as text, before the path is divided into an application and a key.
struct RTMPAddressParts {
    let scheme: RTMPURL.Scheme
    let host: String
    let port: Int
    let credentials: RTMPCredentials?
    /// The path without the slashes at its start, and the query.
    private let path: Substring

    init(_ text: String) throws(RTMPURLError) {
        guard Self.hasValidCharacters(text) else { throw .invalidCharacter }
        guard let schemeEnd = text.firstRange(of: "://"),
            let scheme = RTMPURL.Scheme(rawValue: text[..<schemeEnd.lowerBound].lowercased())
        else { throw .unknownScheme }
        let rest = text[schemeEnd.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let at = authority.lastIndex(of: "@")
        credentials = try at.map { mark throws(RTMPURLError) in try Self.credentials(authority[..<mark]) }
        let place = at.map { authority[authority.index(after: $0)...] } ?? authority
        (host, port) = try Self.hostAndPort(place, scheme: scheme)
        self.scheme = scheme
        path = rest[authority.endIndex...].drop { $0 == "/" }
    }

    /// False if `text` contains a space or a control character.
    static func hasValidCharacters(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// The application if the path contains no key.
    var app: String { String(path.last == "/" ? path.dropLast() : path) }

    /// The application and the key at its end. A slash within a query separates them only if the path has no slash, for
    /// servers whose application carries the query (`app?token=…/key`).
    var appAndKey: (app: String, key: String) {
        let plainPath = path.prefix { $0 != "?" }
        guard let slash = plainPath.lastIndex(of: "/") ?? path.lastIndex(of: "/") else { return (String(path), "") }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }

    private static func credentials(_ text: Substring) throws(RTMPURLError) -> RTMPCredentials {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { throw .credentials }
        let parts = [text[..<colon], text[text.index(after: colon)...]].map {
            String(decoding: PercentEncoding.decode($0), as: UTF8.self)
        }
        return RTMPCredentials(user: parts[0], password: parts[1])
    }

    private static func hostAndPort(_ authority: Substring, scheme: RTMPURL.Scheme) throws(RTMPURLError) -> (
        String, Int
    ) {
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
}
