import Media
import NetworkSupport
import TLS

/// Why publishing failed. No case contains the stream key: it is removed from the server's messages.
public enum RTMPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// RTMP cannot carry this stream.
    case unsupportedFormat(FormatProblem)
    /// The host has no address, or no connection to it was possible.
    case unreachable(host: String, port: Int, NetworkProblem)
    /// The proxy with this host and port did not connect to the server.
    case proxyFailed(host: String, port: Int, ProxyProblem)
    /// TLS with the server failed, or the server is not trusted.
    case insecure(host: String, TLSProblem)
    /// The file of certificate authorities cannot be used. Without `caFile`, the path is empty: it is the system's.
    case unusableCertificateFile(path: String, CertificateFileProblem)
    /// The server redirects to an address that the client does not follow.
    case badRedirect(RedirectProblem)
    /// The server did not answer before the step's deadline. For `sending`: the server accepted no byte for that time.
    case timedOut(RTMPStep)
    /// The server rejected the stream: a wrong key, a wrong application, or an account without permission. Both texts
    /// are the server's.
    case refused(code: String, description: String)
    /// The server did not accept the user name and the password.
    case signInRefused(SignInProblem)
    /// Another connection already publishes with this key, possibly a lost connection of this client
    /// (`NetStream.Publish.BadName`).
    case streamBusy(description: String)
    /// The received data is not RTMP, or it violates the protocol.
    case protocolViolation(ProtocolViolation)
    /// The server closed the connection.
    case closed(during: RTMPStep)
    /// The connection was lost.
    case broken(NetworkProblem)
    /// The waiting task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .unsupportedFormat(let problem): "RTMP cannot carry this stream: \(problem.phrase)."
        case .unreachable(let host, let port, let problem):
            "Cannot connect to \(host) port \(port) (\(problem.phrase)): check the address and the network."
        case .proxyFailed(let host, let port, let problem):
            "The proxy \(host) port \(port) did not connect to the server (\(problem.phrase)): check the proxy and the address."
        case .insecure(let host, let problem): problem.sentence(host: host)
        case .unusableCertificateFile("", let problem):
            "The system's certificate authorities cannot be used (\(problem.phrase)): install the package ca-certificates."
        case .unusableCertificateFile(let path, let problem):
            "The certificate authorities in \(path) cannot be used (\(problem.phrase)): name a readable file of PEM certificates."
        case .badRedirect(let problem): problem.sentence
        case .timedOut(.securing):
            "The server did not answer in time while starting TLS: check that the address is for rtmps:// and not rtmp://."
        case .timedOut(.connecting): "The connection to the server timed out: check the address and the network."
        case .timedOut(.sending): "The server accepted no data for too long: the network may be down or too slow."
        case .timedOut(let step):
            "The server did not answer in time while \(step.phrase): try again, or check the address."
        case .signInRefused(let problem): problem.sentence
        case .refused(let code, let words):
            "The server refused the stream\(Self.quote(code, words)): check the stream key and the URL."
        case .streamBusy(let words):
            "Another program is publishing with this stream key already\(Self.quote("", words)): "
                + "stop the other broadcast, or wait a minute."
        case .protocolViolation(let violation):
            "The server violated the RTMP protocol (\(violation.phrase)): check that the address is that of an RTMP server."
        case .closed(.connectReply):
            "The server closed the connection before it was told the stream key: check the URL, whose path names the application."
        case .closed(.publishReply), .closed(.createStreamReply):
            "The server closed the connection instead of accepting the stream: check the stream key and the URL."
        case .closed(.securing):
            "The server closed the connection instead of starting TLS: check that the address is for rtmps:// and not rtmp://."
        case .closed(let step): "The server closed the connection while \(step.phrase)."
        case .broken(let problem): "The connection to the server was lost: \(problem.phrase)."
        case .cancelled: "Publishing was cancelled."
        }
    }

    /// Returns the server's words in parentheses, or an empty string.
    package static func quote(_ code: String, _ words: String) -> String {
        let parts = [code, words].filter { !$0.isEmpty }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ": ")))"
    }
}

extension RTMPError {
    /// Whether a new attempt can succeed.
    public var retry: RetryAdvice {
        switch self {
        case .unreachable, .proxyFailed, .timedOut, .closed, .broken: .later
        // Something between this machine and the server answers: a captive portal with its own certificate, or a load
        // balancer with an HTTP error.
        case .insecure, .protocolViolation: .later
        case .streamBusy: .busy
        case .refused, .badRedirect: .laterOnceLive
        case .unsupportedFormat, .unusableCertificateFile, .signInRefused, .cancelled: .never
        }
    }
}
