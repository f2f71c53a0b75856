/// Whether a retry can succeed.
public enum RTMPRetry: Equatable, Sendable {
    /// The server will refuse again: a wrong key, a wrong password, an untrusted certificate, or no RTMP server.
    case never
    /// The cause can be temporary: the network, or a server that restarts.
    case later
    /// The stream name is in use, possibly by a lost connection of this client. It becomes free when the server detects
    /// the loss.
    case busy
}

extension RTMPError {
    /// Whether a retry can succeed after this error.
    public var retry: RTMPRetry {
        switch self {
        case .unreachable, .timedOut, .closed, .broken: .later
        case .streamBusy: .busy
        case .insecure(_, .failed): .later
        case .unsupportedFormat, .insecure, .unusableCertificateFile, .badRedirect, .refused, .protocolViolation, .cancelled: .never
        }
    }
}
