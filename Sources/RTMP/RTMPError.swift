import Media

/// Why publishing failed. No case contains the stream key: it is removed from the server's messages.
public enum RTMPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// RTMP cannot carry this stream.
    case unsupportedFormat(String)
    /// The host has no address, or no connection to it was possible.
    case unreachable(host: String, port: Int, reason: String)
    /// The proxy did not connect to the server. `reason` says what the proxy did.
    case proxyFailed(host: String, port: Int, reason: String)
    /// TLS with the server failed, or the server is not trusted.
    case insecure(host: String, TLSProblem)
    /// The given file of certificate authorities cannot be used.
    case unusableCertificateFile(path: String, reason: String)
    /// The server redirects to an address that the client does not follow.
    case badRedirect(RedirectProblem)
    /// The server did not answer before the step's deadline. For `sending`: the server accepted no byte for that time.
    case timedOut(RTMPStep)
    /// The server rejected the stream: a wrong key, a wrong application, or an account without permission. If the user
    /// name or the password is wrong, the code is `RTMPError.authenticationCode`.
    case refused(code: String, description: String)
    /// Another connection already publishes with this key, possibly a lost connection of this client
    /// (`NetStream.Publish.BadName`).
    case streamBusy(description: String)
    /// The received data is not RTMP, or it violates the protocol.
    case protocolViolation(String)
    /// The server closed the connection.
    case closed(during: RTMPStep)
    /// The connection was lost. `reason` is the system's description.
    case broken(reason: String)
    /// The waiting task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .unsupportedFormat(let what): "RTMP cannot carry this stream: \(what)."
        case .unreachable(let host, let port, let reason):
            "Cannot connect to \(host) port \(port) (\(reason)): check the address and the network."
        case .proxyFailed(let host, let port, let reason):
            "The proxy \(host) port \(port) did not connect to the server (\(reason)): check the proxy and the address."
        case .insecure(let host, let problem): problem.sentence(host: host)
        case .unusableCertificateFile(let path, let reason):
            "The certificate authorities in \(path) cannot be used (\(reason)): name a readable file of PEM certificates."
        case .badRedirect(let problem): problem.sentence
        case .timedOut(.securing):
            "The server did not answer in time while starting TLS: check that the address is for rtmps:// and not rtmp://."
        case .timedOut(.connecting): "The connection to the server timed out: check the address and the network."
        case .timedOut(.sending): "The server accepted no data for too long: the network may be down or too slow."
        case .timedOut(let step): "The server did not answer in time while \(step.phrase): try again, or check the address."
        case .refused(Self.authenticationCode, let words):
            "The server refused the sign-in\(Self.quote("", words)): check the user name and the password."
        case .refused(let code, let words): "The server refused the stream\(Self.quote(code, words)): check the stream key and the URL."
        case .streamBusy(let words):
            "Another program is publishing with this stream key already\(Self.quote("", words)): "
                + "stop the other broadcast, or wait a minute."
        case .protocolViolation(let what):
            "The server violated the RTMP protocol (\(what)): check that the address is that of an RTMP server."
        case .closed(.publishReply), .closed(.connectReply), .closed(.createStreamReply):
            "The server closed the connection instead of accepting the stream: check the stream key and the URL."
        case .closed(.securing):
            "The server closed the connection instead of starting TLS: check that the address is for rtmps:// and not rtmp://."
        case .closed(let step): "The server closed the connection while \(step.phrase)."
        case .broken(let reason): "The connection to the server was lost: \(reason)."
        case .cancelled: "Publishing was cancelled."
        }
    }

    /// The `code` of a refusal that concerns the user name or the password.
    public static let authenticationCode = "Authentication"

    private static func quote(_ code: String, _ words: String) -> String {
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
        case .refused(Self.authenticationCode, _): .never
        case .refused, .badRedirect: .laterOnceLive
        case .unsupportedFormat, .unusableCertificateFile, .cancelled: .never
        }
    }
}
