import Glibc
import NIOCore
import NIOPosix
import NetworkSupport
import TLS

extension RTMPError {
    /// Returns the error for a failed attempt to connect to `server`, or to the proxy.
    static func connecting(to server: RTMPAddress, through proxy: RTMPRoute.Proxy?, _ error: any Error) -> RTMPError {
        if let error = error as? RTMPError { return error }
        if let proxy, let problem = error as? ProxyProblem {
            return .proxyFailed(host: proxy.host, port: proxy.port, problem)
        }
        let (host, port) = proxy.map { ($0.host, $0.port) } ?? (server.host, server.port)
        let timedOut =
            proxy.map { RTMPError.proxyFailed(host: $0.host, port: $0.port, .doesNotAnswer) } ?? .timedOut(.connecting)
        if case .connectTimeout = error as? ChannelError { return timedOut }
        // The server accepted the connection and closed it before any data was exchanged.
        if case .ioOnClosedChannel = error as? ChannelError {
            return .closed(during: server.scheme == .rtmps ? .securing : .handshake)
        }
        var cause = error
        if let attempts = error as? NIOConnectionError {
            if let failure = attempts.connectionErrors.first {
                cause = failure.error
            } else if let failure = (attempts.dnsAError ?? attempts.dnsAAAAError) as? VersionResolver.Failure {
                return .unreachable(host: host, port: port, .noAddress(failure.version))
            } else if attempts.dnsAError != nil || attempts.dnsAAAAError != nil {
                return .unreachable(host: host, port: port, .noAddress(.any))
            }
        }
        if case .connectTimeout = cause as? ChannelError { return timedOut }
        return .unreachable(host: host, port: port, NetworkProblem(cause))
    }

    /// Returns the error for an established connection that broke.
    static func breaking(_ error: any Error, during step: RTMPStep) -> RTMPError {
        if let error = error as? RTMPError { return error }
        if error is TLSClosure { return .closed(during: step) }
        guard let error = error as? IOError else { return .broken(NetworkProblem(error)) }
        switch error.errnoCode {
        // A server that closed the connection answers later bytes with a reset.
        case ECONNRESET, EPIPE: return .closed(during: step)
        case ETIMEDOUT: return .timedOut(step)
        default: return .broken(NetworkProblem(error))
        }
    }
}

extension NetworkProblem {
    /// The problem behind an error of the system or a library. Its text can contain an address, but never the stream
    /// key.
    fileprivate init(_ error: any Error) {
        if let error = error as? IOError { self = .system(code: error.errnoCode) } else { self = .failed("\(error)") }
    }
}
