import AsyncHTTPClient
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension StoreError {
    /// Creates the error for a request that did not reach `host`, or whose answer did not arrive. It does not contain
    /// the library's text, because that can contain the address, and the address can contain a key.
    init(reaching host: String, _ error: any Error) {
        var cause = error
        if let attempts = error as? NIOConnectionError {
            guard let failure = attempts.connectionErrors.first else {
                self = .unavailable("the server at \(host) cannot be reached (the host's name cannot be resolved)")
                return
            }
            cause = failure.error
        }
        self = Self.certificateFault(cause, host: host) ?? .unavailable("the server at \(host) cannot be reached (\(Self.reason(cause)))")
    }

    /// Returns an error that a retry cannot correct, or nil for any other error.
    private static func certificateFault(_ error: any Error, host: String) -> StoreError? {
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch {
            return .refused(
                code: untrusted,
                "the certificate of the server is not for \(host): use the host name that the service documents")
        }
        guard let error = error as? NIOSSLError else { return nil }
        switch error {
        case .unableToValidateCertificate, .noCertificateToValidate:
            return .refused(code: untrusted, "the server at \(host) has no certificate for its name")
        case .handshakeFailed(.sslError(let stack)):
            // NIOSSL does not report the reason.
            let words = stack.map(\.description).joined(separator: " ")
            if words.contains("CERTIFICATE_VERIFY_FAILED") {
                return .refused(
                    code: untrusted,
                    "the certificate of \(host) is not trusted here: it has expired, is not valid yet, or its issuer is unknown")
            }
            let reasons = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_MESSAGE", "INVALID_RECORD"]
            guard reasons.contains(where: { words.contains($0) }) else { return nil }
            return .refused(
                code: 525, "the server at \(host) does not use TLS: check whether its address starts with http://")
        default: return nil
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
