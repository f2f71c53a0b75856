/// Why a text is no RTMP URL. No case holds any of the text: there may be a key in it.
public enum RTMPURLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It starts with neither `rtmp://` nor `rtmps://`.
    case unknownScheme
    /// No host, or an IPv6 address without its brackets.
    case invalidHost
    /// Not a number from 1 to 65535.
    case invalidPort
    /// A user name before the host, without a password.
    case credentials
    /// Nothing stands between the host and the key.
    case missingApp
    case missingKey
    /// A space or control character.
    case invalidCharacter

    public var description: String {
        switch self {
        case .unknownScheme: "The URL must start with rtmp:// or rtmps://."
        case .invalidHost: "The URL names no host: write rtmp://host/app, with an IPv6 address in brackets."
        case .invalidPort: "The URL's port is not a number from 1 to 65535."
        case .credentials: "The URL holds a user name without a password: write rtmp://user:password@host/app, or neither."
        case .missingApp: "The URL names no application: write rtmp://host/app."
        case .missingKey: "There is no stream key: give the one that your service shows."
        case .invalidCharacter: "The URL or the stream key holds a space or a control character: copy it again."
        }
    }
}
