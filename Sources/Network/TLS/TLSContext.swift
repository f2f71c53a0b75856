import COpenSSL
import Glibc

/// What TLS clients require and trust: TLS 1.2 or later (RFC 9325, section 3.1.1), and a certificate chain that OpenSSL
/// verified up to a trusted authority (RFC 5280, section 6). Thread-safe.
///
/// OpenSSL reads the configuration of the system (openssl.cnf), which can require more.
// @unchecked: nothing changes the context after `init`, and OpenSSL counts its references with atomics
// (openssl-threads(7)).
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Loads the certificate authorities. This blocks for some milliseconds.
    ///
    /// - Parameter path: a file of trusted certificates in PEM format. If nil, those of the system are trusted.
    package init(authoritiesFile path: String?) throws(CertificateFileProblem) {
        _ = copenssl_initialize()
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_client_method()) else { throw .rejected }
        self.pointer = pointer
        guard Self.configure(pointer) else { throw .rejected }
        if let path {
            try Self.addAuthorities(inFile: path, to: pointer)
        } else if SSL_CTX_set_default_verify_paths(pointer) != 1 {
            throw .rejected
        }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Requires TLS 1.2 and a verified certificate, in a client's context of OpenSSL (`SSL_CTX`). Returns false if
    /// this is not possible.
    package static func configure(_ context: OpaquePointer) -> Bool {
        guard copenssl_require_tls12(context) == 1 else { return false }
        copenssl_set_options(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER) { isValid, verification in
            if isValid == 0, let verification { TLSContext.preferTimes(in: verification) }
            return isValid
        }
        return true
    }

    /// Changes the reason of a rejected certificate to its times, if the server's certificate has expired or is not
    /// valid yet: the user or the service can correct that. OpenSSL reports the first problem, and looks at times last.
    private static func preferTimes(in verification: OpaquePointer) {
        guard let certificate = X509_STORE_CTX_get0_cert(verification) else { return }
        if X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 {
            X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_HAS_EXPIRED)
        } else if X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 {
            X509_STORE_CTX_set_error(verification, X509_V_ERR_CERT_NOT_YET_VALID)
        }
    }

    private static func addAuthorities(inFile path: String, to context: OpaquePointer) throws(CertificateFileProblem) {
        guard let file = fopen(path, "re") else { throw .system(code: errno) }
        defer { fclose(file) }
        var count = 0
        // Without the callback, OpenSSL would ask the terminal for the password of an encrypted block.
        while let certificate = PEM_read_X509(file, nil, { _, _, _, _ in -1 }, nil) {
            defer { X509_free(certificate) }
            guard X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1 else { throw .rejected }
            count += 1
        }
        guard count > 0, copenssl_is_end_of_pem(ERR_peek_last_error()) == 1 else { throw .noCertificate }
        ERR_clear_error()
    }
}
