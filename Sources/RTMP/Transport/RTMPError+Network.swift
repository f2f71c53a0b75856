import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension RTMPError {
    /// Why there is no connection to `url`'s host.
    static func connecting(to url: RTMPURL, _ error: any Error) -> RTMPError {
        if let error = error as? RTMPError { return error }
        if case .connectTimeout = error as? ChannelError { return .timedOut(.connecting) }
        // It accepted the connection, and closed it before anything could be said.
        if case .ioOnClosedChannel = error as? ChannelError { return .closed(during: url.scheme == .rtmps ? .securing : .handshake) }
        var cause = error
        if let attempts = error as? NIOConnectionError {
            if let failure = attempts.connectionErrors.first {
                cause = failure.error
            } else if attempts.dnsAError != nil || attempts.dnsAAAAError != nil {
                return .unreachable(host: url.host, port: url.port, reason: "no address was found for this name")
            }
        }
        if case .connectTimeout = cause as? ChannelError { return .timedOut(.connecting) }
        return .unreachable(host: url.host, port: url.port, reason: reason(cause))
    }

    /// Why a connection that stood is gone.
    static func breaking(_ error: any Error, during step: RTMPStep) -> RTMPError {
        if let error = error as? RTMPError { return error }
        // It left without TLS's goodbye, as many do.
        if case .uncleanShutdown = error as? NIOSSLError { return .closed(during: step) }
        if step == .securing, case .handshakeFailed = error as? NIOSSLError { return .closed(during: step) }
        guard let error = error as? IOError else { return .broken(reason: reason(error)) }
        switch error.errnoCode {
        // A server that has closed answers what comes afterwards with a reset.
        case ECONNRESET, EPIPE: return .closed(during: step)
        case ETIMEDOUT: return .timedOut(step)
        default: return .broken(reason: reason(error))
        }
    }

    /// A system's or library's error in words. They hold addresses at most: neither knows the key.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case ECONNREFUSED: return "nothing listens there"
        case ENETUNREACH: return "the network is unreachable"
        case EHOSTUNREACH: return "the host is unreachable"
        case ETIMEDOUT: return "the host does not answer"
        case EACCES, EPERM: return "the system forbids it"
        default: return strerror(error.errnoCode).map { String(cString: $0) } ?? "error \(error.errnoCode)"
        }
    }
}
