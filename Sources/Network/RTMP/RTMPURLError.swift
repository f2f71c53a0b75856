/// The reason why a text is not a valid RTMP URL. No case contains the text, because the text can contain a stream key.
public enum RTMPURLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text starts with neither `rtmp://` nor `rtmps://`.
    case unknownScheme
    /// The host is missing, or it is an IPv6 address without brackets.
    case invalidHost
    /// The port is not a number from 1 to 65535.
    case invalidPort
    /// A user name without a password precedes the host.
    case credentials
    /// The URL has no application between the host and the key.
    case missingApp
    case missingKey
    /// The text contains a space or a control character.
    case invalidCharacter

    public var description: String {
        switch self {
        case .unknownScheme: "The URL must start with rtmp:// or rtmps://."
        case .invalidHost: "The URL names no host: write rtmp://host/app, with an IPv6 address in brackets."
        case .invalidPort: "The URL's port is not a number from 1 to 65535."
        case .credentials: "The URL contains a user name without a password: write both, or neither."
        case .missingApp: "The URL names no application: write rtmp://host/app."
        case .missingKey: "There is no stream key: enter the one that your service shows."
        case .invalidCharacter: "The URL or the stream key contains a space or a control character: copy it again."
        }
    }
}
