/// The reason why the client does not follow a redirect.
public enum RedirectProblem: Equatable, Sendable {
    /// The target is an address that already redirected the client.
    case loop
    /// Too many servers redirected the client in sequence.
    case tooMany
    /// The redirect leaves TLS.
    case insecure
    /// The target is not a valid RTMP address.
    case invalidAddress

    var sentence: String {
        switch self {
        case .loop: "The servers redirect the stream in a circle: ask the service for another address."
        case .tooMany:
            "The servers redirect the stream more than \(ConnectNegotiation.maximumRedirects) times: "
                + "ask the service for another address."
        case .insecure:
            "The server redirects the stream from TLS (rtmps) to an address without TLS: ask the service for another address."
        case .invalidAddress:
            "The server redirects the stream to an address that is not an RTMP address: ask the service for another one."
        }
    }
}
