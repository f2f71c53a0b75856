import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension RTMPError {
    /// Returns the error for a failed attempt to connect to `url`, or to the proxy.
    static func connecting(to url: RTMPURL, through proxy: RTMPRoute.Proxy?, _ error: any Error) -> RTMPError {
        if let error = error as? RTMPError { return error }
        if let proxy, let failure = error as? ProxyTunnel.Failure { return .proxyFailed(host: proxy.host, port: proxy.port, reason: failure.reason) }
        let (host, port) = proxy.map { ($0.host, $0.port) } ?? (url.host, url.port)
        let timedOut =
            proxy.map { RTMPError.proxyFailed(host: $0.host, port: $0.port, reason: "it does not answer") } ?? .timedOut(.connecting)
        if case .connectTimeout = error as? ChannelError { return timedOut }
        // The server accepted the connection and closed it before any data was exchanged.
        if case .ioOnClosedChannel = error as? ChannelError { return .closed(during: url.scheme == .rtmps ? .securing : .handshake) }
        var cause = error
        if let attempts = error as? NIOConnectionError {
            if let failure = attempts.connectionErrors.first {
                cause = failure.error
            } else if let failure = (attempts.dnsAError ?? attempts.dnsAAAAError) as? VersionResolver.Failure {
                return .unreachable(host: host, port: port, reason: "no IPv\(failure.version.rawValue) address was found for this name")
            } else if attempts.dnsAError != nil || attempts.dnsAAAAError != nil {
                return .unreachable(host: host, port: port, reason: "no address was found for this name")
            }
        }
        if case .connectTimeout = cause as? ChannelError { return timedOut }
        return .unreachable(host: host, port: port, reason: reason(cause))
    }

    /// Returns the error for an established connection that broke.
    static func breaking(_ error: any Error, during step: RTMPStep) -> RTMPError {
        if let error = error as? RTMPError { return error }
        // The server closed the connection without a TLS close notification. Many servers do this.
        if case .uncleanShutdown = error as? NIOSSLError { return .closed(during: step) }
        if step == .securing, case .handshakeFailed = error as? NIOSSLError { return .closed(during: step) }
        guard let error = error as? IOError else { return .broken(reason: reason(error)) }
        switch error.errnoCode {
        // A server that closed the connection answers later bytes with a reset.
        case ECONNRESET, EPIPE: return .closed(during: step)
        case ETIMEDOUT: return .timedOut(step)
        default: return .broken(reason: reason(error))
        }
    }

    /// Describes an error of the system or a library. The text can contain an address, but never the stream key.
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
