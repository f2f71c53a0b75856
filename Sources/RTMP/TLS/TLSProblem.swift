/// The reason why no trusted TLS connection is possible.
public enum TLSProblem: Equatable, Sendable {
    /// The certificate has expired.
    case expired
    /// The certificate is not valid yet.
    case notYetValid
    /// No trusted certificate authority issued the certificate.
    case unknownIssuer
    /// The certificate is for another host.
    case wrongHost
    /// The server does not answer in TLS.
    case notTLS
    /// The server supports only TLS versions before 1.2, or it has no cipher in common with the client.
    case nothingInCommon
    /// Another error, with the message of the library.
    case failed(String)

    func sentence(host: String) -> String {
        switch self {
        case .expired: "The certificate of \(host) has expired: report it to the service, and check this computer's clock."
        case .notYetValid: "The certificate of \(host) is not valid yet: check this computer's clock."
        case .unknownIssuer:
            "The issuer of the certificate of \(host) is not trusted here: "
                + "if the server is your own, name its certificate authority (ca-file)."
        case .wrongHost: "The certificate of the server is not for \(host): use the host name that the service documents."
        case .notTLS: "\(host) does not use TLS: check that the address and the port are for rtmps:// and not rtmp://."
        case .nothingInCommon:
            "\(host) supports no secure TLS version or cipher (TLS 1.2 or later is required): report it to the service."
        case .failed(let reason): "TLS with \(host) failed (\(reason)): try again, or check the address."
        }
    }
}
