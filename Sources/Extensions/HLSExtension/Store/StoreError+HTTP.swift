import Glibc
import HTTPClient
import TLS

extension StoreError {
    /// Creates the error for a request that did not reach `host`, or whose answer did not arrive. It does not contain
    /// the library's text, because that can contain the address, and the address can contain a key.
    ///
    /// - Parameter localAddress: the IP address to which connections are bound. They can reach only addresses of its
    ///   version.
    init(reaching host: String, from localAddress: String?, _ failure: HTTPFailure) {
        let noAddress = localAddress.map { "it has no IPv\($0.contains(":") ? 6 : 4) address" }
        let reason: String
        switch failure.reason {
        case .tls(let problem):
            if let code = Self.code(of: problem) {
                self = .refused(code: code, problem.explanation(host: host))
                return
            }
            reason = "TLS failed"
        case .noAddress: reason = noAddress ?? "the host's name cannot be resolved"
        case .system(EAFNOSUPPORT), .system(EINVAL): reason = noAddress ?? Self.systemReason(EAFNOSUPPORT)
        case .system(let code): reason = Self.systemReason(code)
        case .noAnswer: reason = "no answer"
        case .noAnswerInTLS: reason = "no answer in TLS"
        case .tooSlow: reason = "too slow"
        case .closed: reason = "it closed the connection"
        case .cancelled: reason = "the connection was lost"
        case .other: reason = "the request failed"
        }
        self = .unavailable("the server at \(host) cannot be reached (\(reason))")
    }

    /// The code of a problem that a retry cannot correct; nil for any other.
    private static func code(of problem: TLSProblem) -> Int? {
        switch problem {
        case .expired, .notYetValid, .unknownIssuer, .untrusted, .wrongHost: untrusted
        case .notTLS, .nothingInCommon: 525
        case .failed: nil
        }
    }

    private static func systemReason(_ code: Int32) -> String {
        switch code {
        case ECONNREFUSED: "nothing listens there"
        case ECONNRESET, EPIPE: "it closed the connection"
        case ENETUNREACH: "the network is unreachable"
        case EHOSTUNREACH: "the host is unreachable"
        case ETIMEDOUT: "no answer"
        case EACCES, EPERM: "the system forbids it"
        default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }
}
