/// The reason why no trusted TLS connection is possible.
public enum TLSProblem: Error, Equatable {
    /// The certificate has expired.
    case expired
    /// The certificate is not valid yet.
    case notYetValid
    /// No trusted certificate authority issued the certificate.
    case unknownIssuer
    /// The certificate was rejected, and the reason is not known.
    case untrusted
    /// The certificate is for another host.
    case wrongHost
    /// The server does not answer in TLS.
    case notTLS
    /// The server supports only TLS versions before 1.2, or it has no cipher in common with the client.
    case nothingInCommon
    /// Another error, with the message of the library.
    case failed(String)

    /// `explanation` as a sentence.
    public func sentence(host: String) -> String {
        let text = explanation(host: host)
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// What is wrong and what to do, without a final period. The first word begins with a small letter.
    public func explanation(host: String) -> String {
        switch self {
        case .expired:
            "the certificate of \(host) has expired: report it to the service, and check this computer's clock"
        case .notYetValid: "the certificate of \(host) is not valid yet: check this computer's clock"
        case .unknownIssuer:
            "the issuer of the certificate of \(host) is not trusted here: if the server is your own, name its certificate authority (ca-file)"
        case .untrusted:
            "the certificate of \(host) is not trusted here (it has expired, is not valid yet, is not for a server, or its issuer is unknown): "
                + "if the server is your own, name its certificate authority (ca-file)"
        case .wrongHost:
            "the certificate of the server is not for \(host): use the host name that the service documents"
        case .notTLS: "the server at \(host) does not use TLS: check whether the address and the port are for TLS"
        case .nothingInCommon:
            "the server at \(host) supports no secure TLS version or cipher (TLS 1.2 or later is required): report it to the service"
        case .failed(let reason): "the TLS connection with \(host) failed (\(reason)): try again, or check the address"
        }
    }
}

/// Why a file of certificate authorities cannot be used.
public enum CertificateFileProblem: Error, Equatable {
    /// It cannot be read; errno.
    case system(code: Int32)
    case noCertificate
    /// TLS rejects its certificates.
    case rejected
}
