/// Why there is no connection within TLS that can be trusted.
public enum TLSProblem: Equatable, Sendable {
    /// The certificate's time is over.
    case expired
    /// The certificate's time has not come.
    case notYetValid
    /// No certificate authority that we trust stands behind the certificate.
    case unknownIssuer
    /// The certificate is another host's.
    case wrongHost
    /// What answers is no TLS.
    case notTLS
    /// The server has only versions of TLS before 1.2, or no cipher in common with us.
    case nothingInCommon
    /// Another fault, in the library's words.
    case failed(String)

    func sentence(host: String) -> String {
        switch self {
        case .expired: "The certificate of \(host) has expired: tell the service, and check this computer's clock."
        case .notYetValid: "The certificate of \(host) is not valid yet: check this computer's clock."
        case .unknownIssuer:
            "The certificate of \(host) comes from an issuer that is not trusted here: if the server is your own, name its certificate authority (ca-file)."
        case .wrongHost: "The certificate of the server is not for \(host): use the host name that the service gives."
        case .notTLS: "\(host) does not answer in TLS: check that the address and the port take rtmps:// and not rtmp://."
        case .nothingInCommon: "\(host) has no TLS version or cipher that is safe today (TLS 1.2 or later is needed): tell the service."
        case .failed(let reason): "TLS with \(host) failed (\(reason)): try again, or check the address."
        }
    }
}
