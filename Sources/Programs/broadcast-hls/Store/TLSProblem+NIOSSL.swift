import Glibc
import NIOSSL
import TLS

extension TLSProblem {
    /// Classifies an error of NIOSSL. Returns nil if the server closed the connection or if the error does not concern
    /// TLS.
    ///
    /// - Parameter certificate: the server's certificate, if the server sent one. NIOSSL does not report why it
    ///   rejected the certificate.
    init?(_ error: any Error, certificate: NIOSSLCertificate?) {
        switch error {
        case let problem as TLSProblem: self = problem
        case NIOSSLError.handshakeFailed(let cause):
            guard let problem = Self(cause, certificate: certificate) else { return nil }
            self = problem
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: self = .wrongHost
        case let error as NIOSSLError: self = .failed("\(error)")
        case let error as BoringSSLError:
            guard let problem = Self(error, certificate: certificate) else { return nil }
            self = problem
        default: return nil
        }
    }

    private init?(_ error: BoringSSLError, certificate: NIOSSLCertificate?) {
        guard case .sslError(let stack) = error else {
            self = .failed("\(error)")
            return
        }
        guard !stack.contains(.eofDuringHandshake) else { return nil }
        // The reason is the second last word of “error:1000…:SSL routines:OPENSSL_internal:REASON at file:line”.
        let words = stack.map(\.description).joined(separator: " ")
        func names(_ reasons: String...) -> Bool { reasons.contains { words.contains($0) } }
        if names("CERTIFICATE_VERIFY_FAILED") {
            self = Self.fault(of: certificate)
        } else if names(
            "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNEXPECTED_MESSAGE", "UNEXPECTED_RECORD",
            "INVALID_RECORD")
        {
            self = .notTLS
        } else if names(
            "PROTOCOL_VERSION", "UNSUPPORTED_PROTOCOL", "HANDSHAKE_FAILURE", "INSUFFICIENT_SECURITY", "NO_CIPHER")
        {
            self = .nothingInCommon
        } else {
            let reason = stack.first.map { $0.description.split(separator: ":").dropFirst(4).first ?? "" } ?? ""
            self = .failed(reason.split(separator: " ").first.map(String.init) ?? "unknown")
        }
    }

    private static func fault(of certificate: NIOSSLCertificate?) -> TLSProblem {
        guard let certificate else { return .untrusted }
        let now = time(nil)
        if certificate.notValidAfter < now { return .expired }
        return certificate.notValidBefore > now ? .notYetValid : .unknownIssuer
    }
}
