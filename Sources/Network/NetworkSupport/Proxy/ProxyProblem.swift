import NIOExtras
import NIOHTTP1
import NIOSOCKS

/// Why a proxy opens no tunnel.
public enum ProxyProblem: Error, Equatable, Sendable {
    case doesNotAnswer
    case closedConnection
    /// It does not answer in SOCKS 5 (RFC 1928).
    case notSOCKS5
    /// It does not answer in HTTP.
    case notHTTP
    /// It requires a user name and a password, and none was given.
    case credentialsMissing
    /// It does not support a user name and a password, although they were given.
    case credentialsNotSupported
    /// It rejects the user name or the password.
    case wrongCredentials
    /// SOCKS has one byte for the length of the user name, and one for that of the password (RFC 1929).
    case credentialsTooLong
    /// The name of the server is empty or has more than 255 bytes.
    case invalidHostName
    /// It answers with this SOCKS reply, which is not 0 (RFC 1928, 6).
    case refused(reply: UInt8)
    /// It rejects CONNECT (RFC 9110, 9.3.6).
    case refusedConnect
    /// Another error, with the message of the system or the library.
    case failed(String)

    /// The problem behind an error of the libraries.
    init(_ error: any Error) {
        switch error {
        case let error as ProxyProblem: self = error
        case let error as SOCKSError.ConnectionFailed: self = .refused(reply: error.reply.value)
        case is SOCKSError.NoValidAuthenticationMethod, is SOCKSError.InvalidAuthenticationSelection:
            self = .credentialsMissing
        case is SOCKSError.InvalidProtocolVersion, is SOCKSError.UnexpectedRead: self = .notSOCKS5
        case let error as NIOHTTP1ProxyConnectHandler.Error where error == .proxyAuthenticationRequired():
            self = .wrongCredentials
        case let error as NIOHTTP1ProxyConnectHandler.Error where error == .httpProxyHandshakeTimeout():
            self = .doesNotAnswer
        case let error as NIOHTTP1ProxyConnectHandler.Error where error == .remoteConnectionClosed():
            self = .closedConnection
        case is NIOHTTP1ProxyConnectHandler.Error: self = .refusedConnect
        case is HTTPParserError: self = .notHTTP
        default: self = .failed("\(error)")
        }
    }
}
