import Glibc
import Mux
import NetworkSupport
import TLS

/// Why RTMP cannot carry a stream.
public enum FormatProblem: Equatable, Sendable {
    case videoIsNotH264
    case noTracks
    /// A picture has more than 16 MiB: the length of a message has 24 bits (Adobe RTMP 1.0, 5.3.1.2).
    case pictureTooLarge
}

/// Why a host cannot be reached, or why a connection was lost.
public enum NetworkProblem: Equatable, Sendable {
    /// The name has no address, or none of this version of IP.
    case noAddress(RTMPRoute.Version)
    /// An error of the system; errno.
    case system(code: Int32)
    /// The event loop that owns the connection has ended.
    case eventLoopEnded
    /// Another error, with the message of the library.
    case failed(String)
}

/// Why a server does not accept the user name and the password.
public enum SignInProblem: Equatable, Sendable {
    /// The server requires them, and none were given.
    case missing
    case wrong
}

/// How the received data violates the protocol.
public enum ProtocolViolation: Equatable, Sendable {
    /// The first byte of the handshake.
    case handshakeVersion(UInt8)
    case chunkStream(ChunkStreamError)
    /// A command is not valid AMF 0.
    case command(AMF0Error)
    /// The answer to `createStream` contains no stream ID.
    case noStreamID
    /// The server sends requests and does not read the answers.
    case answersNotRead
    /// The server sends much more than a publisher needs.
    case tooManyBytes
}

extension FormatProblem {
    var phrase: String {
        switch self {
        case .videoIsNotH264: "its video is not H.264"
        case .noTracks: "it has no tracks"
        case .pictureTooLarge: "one of its pictures has more than 16 MiB"
        }
    }
}

extension NetworkProblem {
    var phrase: String {
        switch self {
        case .noAddress(.any): "no address was found for this name"
        case .noAddress(let version): "no IPv\(version.rawValue) address was found for this name"
        case .system(ECONNREFUSED): "nothing listens there"
        case .system(ENETUNREACH): "the network is unreachable"
        case .system(EHOSTUNREACH): "the host is unreachable"
        case .system(ETIMEDOUT): "the host does not answer"
        case .system(EACCES), .system(EPERM): "the system forbids it"
        case .system(let code): systemPhrase(code)
        case .eventLoopEnded: "the event loop has ended"
        case .failed(let message): message
        }
    }
}

extension ProxyProblem {
    var phrase: String {
        switch self {
        case .doesNotAnswer: "it does not answer"
        case .closedConnection: "it closed the connection"
        case .notSOCKS5: "it is not a SOCKS 5 proxy"
        case .notHTTP: "it is not an HTTP proxy"
        case .credentialsMissing: "it requires a user name and a password"
        case .credentialsNotSupported: "it does not accept a user name and a password"
        case .wrongCredentials: "it rejected the user name or the password"
        case .credentialsTooLong: "its user name or password has more than 255 bytes"
        case .invalidHostName: "the name of the server is empty or has more than 255 bytes"
        case .refused(let reply): "it answered with SOCKS reply \(reply)"
        case .refusedConnect: "it rejected CONNECT"
        case .failed(let message): message
        }
    }
}

extension CertificateFileProblem {
    var phrase: String {
        switch self {
        case .system(let code): systemPhrase(code)
        case .noCertificate: "it contains no PEM certificate"
        case .rejected: "TLS cannot load it"
        }
    }
}

extension SignInProblem {
    var sentence: String {
        switch self {
        case .missing: "The server requires a user name and a password."
        case .wrong: "The server rejected the user name or the password."
        }
    }
}

extension ProtocolViolation {
    var phrase: String {
        switch self {
        case .handshakeVersion(let version): "its handshake has version \(version)"
        case .chunkStream(let error): error.description
        case .command(let error): error.description
        case .noStreamID: "its answer to createStream has no stream ID"
        case .answersNotRead: "it sends requests and does not read the answers"
        case .tooManyBytes: "it sends much more than a publisher needs"
        }
    }
}

private func systemPhrase(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
