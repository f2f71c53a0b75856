import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import TLS

extension StoreError {
    /// Creates the error for a request that did not reach `host`, or whose answer did not arrive. It does not contain
    /// the library's text, because that can contain the address, and the address can contain a key.
    ///
    /// - Parameter localAddress: the IP address to which connections are bound. They can reach only addresses of its
    ///   version.
    init(reaching host: String, from localAddress: String?, _ error: any Error) {
        var cause = error
        if let attempts = error as? NIOConnectionError {
            guard !attempts.connectionErrors.isEmpty else {
                self = .unavailable("the server at \(host) cannot be reached (the host's name cannot be resolved)")
                return
            }
            let failures = attempts.connectionErrors.filter { failure in
                localAddress.map { $0.contains(":") == (failure.target.protocol == .inet6) } ?? true
            }
            // IPv6 is tried first, also on a machine that has no route for it, so the last error says more.
            cause = failures.last?.error ?? IOError(errnoCode: EAFNOSUPPORT, reason: "connect")
        }
        if let localAddress, let error = cause as? IOError, error.errnoCode == EAFNOSUPPORT || error.errnoCode == EINVAL
        {
            self = .unavailable(
                "the server at \(host) cannot be reached (it has no IPv\(localAddress.contains(":") ? 6 : 4) address)")
            return
        }
        if let problem = TLSProblem(cause, certificate: nil), let code = Self.code(of: problem) {
            self = .refused(code: code, problem.explanation(host: host))
            return
        }
        self = .unavailable("the server at \(host) cannot be reached (\(Self.reason(cause)))")
    }

    /// The code of a problem that a retry cannot correct; nil for any other.
    private static func code(of problem: TLSProblem) -> Int? {
        switch problem {
        case .expired, .notYetValid, .unknownIssuer, .untrusted, .wrongHost: untrusted
        case .notTLS, .nothingInCommon: 525
        case .failed: nil
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: clientReason(error)
        case let error as IOError: systemReason(error)
        case let error as ChannelError:
            if case .connectTimeout = error { "no answer" } else { "the connection was lost" }
        case let error as NIOSSLError: error == .uncleanShutdown ? "it closed the connection" : "TLS failed"
        case is BoringSSLError, is NIOSSLExtraError: "TLS failed"
        default: "the connection was lost"
        }
    }

    private static func clientReason(_ error: HTTPClientError) -> String {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: "no answer"
        case .deadlineExceeded, .readTimeout, .writeTimeout: "too slow"
        case .remoteConnectionClosed: "it closed the connection"
        case .tlsHandshakeTimeout: "no answer in TLS"
        default: "the request failed"
        }
    }

    private static func systemReason(_ error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "nothing listens there"
        case ECONNRESET, EPIPE: "it closed the connection"
        case ENETUNREACH: "the network is unreachable"
        case EHOSTUNREACH: "the host is unreachable"
        case ETIMEDOUT: "no answer"
        case EACCES, EPERM: "the system forbids it"
        default: strerror(error.errnoCode).map { String(cString: $0) } ?? "error \(error.errnoCode)"
        }
    }
}
