/// Whether trying again can help.
public enum RTMPRetry: Equatable, Sendable {
    /// The server will say no again: a wrong key, a wrong password, a certificate that cannot be trusted, no RTMP at all.
    case never
    /// What is in the way may pass: the network, a server that restarts.
    case later
    /// The name is in use, perhaps by our own connection that was lost: it is free once the server has noticed.
    case busy
}

extension RTMPError {
    /// Whether trying again can help.
    public var retry: RTMPRetry {
        switch self {
        case .unreachable, .timedOut, .closed, .broken: .later
        case .streamBusy: .busy
        case .insecure(_, .failed): .later
        case .unsupportedFormat, .insecure, .unusableCertificateFile, .badRedirect, .refused, .protocolViolation, .cancelled: .never
        }
    }
}
