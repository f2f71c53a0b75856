/// Why we do not go where a server sends us.
public enum RedirectProblem: Equatable, Sendable {
    /// It sends us to an address where we have been.
    case loop
    /// One server after another sends us on.
    case tooMany
    /// From a connection within TLS to one without.
    case insecure
    /// It names no address that RTMP could use.
    case invalidAddress

    var sentence: String {
        switch self {
        case .loop: "The server sends the stream around in a circle: ask the service for another address."
        case .tooMany: "The server sends the stream on more than \(ConnectNegotiation.maximumRedirects) times: ask the service for another address."
        case .insecure: "The server sends the stream from TLS (rtmps) to an address without it: ask the service for another address."
        case .invalidAddress: "The server sends the stream to an address that is no RTMP address: ask the service for another one."
        }
    }
}
