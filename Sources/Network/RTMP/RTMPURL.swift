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

    /// The server and its application.
    package let address: RTMPAddress
    /// The stream key, including its query if it has one. This is a secret.
    package private(set) var streamKey: String

    /// Plain RTMP, or RTMP over TLS.
    public var scheme: Scheme { address.scheme }
    /// A host name or an IP address. An IPv6 address has no brackets here.
    public var host: String { address.host }
    /// The TCP port. If the URL has none, the scheme's default port.
    public var port: Int { address.port }
    /// The credentials for servers that require authentication, or nil if the URL has none.
    public var credentials: RTMPCredentials? { address.credentials }
    /// The application, including its query if it has one.
    package var app: String { address.app }

    /// Parses `text`. If `streamKey` is nil, the last component of the path is the key; otherwise the whole path is the
    /// application.
    public init(_ text: String, streamKey: String? = nil) throws(RTMPURLError) {
        if let streamKey, !RTMPAddressParts.hasValidCharacters(streamKey) { throw .invalidCharacter }
        let parts = try RTMPAddressParts(text)
        let (app, key) = streamKey.map { (parts.app, $0) } ?? parts.appAndKey
        guard !key.isEmpty else { throw .missingKey }
        address = try RTMPAddress(parts, app: app)
        self.streamKey = key
    }

    /// Creates a copy of `url` with other credentials.
    package init(_ url: RTMPURL, credentials: RTMPCredentials?) {
        address = url.address.with(credentials)
        streamKey = url.streamKey
    }

    /// Returns the same address with another key, which has only valid characters.
    package func with(streamKey: String) -> RTMPURL {
        var url = self
        url.streamKey = streamKey
        return url
    }

    /// Throws if `key` cannot be the stream key of any address.
    package static func check(streamKey key: String) throws(RTMPURLError) {
        guard RTMPAddressParts.hasValidCharacters(key) else { throw .invalidCharacter }
        guard !key.isEmpty else { throw .missingKey }
    }

    /// The URL without the key, as the `connect` command requires it. A default port is omitted.
    package var tcURL: String { address.text }

    /// The host and, if it is not the scheme's default, the port.
    var authority: String { address.authority }
}

extension RTMPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `rtmp://host/app/…`, without the key and without a query. Only the first component of the application is shown:
    /// if the key was given twice, once in the address and once apart, the second component is the key.
    public var description: String { address.description }
    public var debugDescription: String { description }
    /// Omits the properties, so that a dump does not show them.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
