import COpenSSL
import Glibc

/// What a TLS server shows to its clients: a certificate with its private key. TLS 1.2 or later (RFC 9325, section
/// 3.1.1). Thread-safe.
///
/// OpenSSL reads the configuration of the system (openssl.cnf), which can require more.
// @unchecked: nothing changes the context after `init`, and OpenSSL counts its references with atomics
// (openssl-threads(7)).
package final class ServerCredentials: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Reads both files. This blocks for some milliseconds.
    ///
    /// - Parameters:
    ///   - certificateFile: the server's certificate, and those that lead to its authority, in PEM format.
    ///   - keyFile: the private key of the first of them, in PEM format and without a password.
    package init(certificateFile: String, keyFile: String) throws(ServerCredentialsProblem) {
        _ = copenssl_initialize()
        for path in [certificateFile, keyFile] {
            guard let file = fopen(path, "re") else { throw .unreadable(path, code: errno) }
            fclose(file)
        }
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .noCertificate(certificateFile) }
        self.pointer = pointer
        // Without the callback, OpenSSL would ask the terminal for the password of an encrypted block.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
        guard copenssl_require_tls12(pointer) == 1,
            SSL_CTX_use_certificate_chain_file(pointer, certificateFile) == 1
        else { throw .noCertificate(certificateFile) }
        copenssl_set_options(pointer)
        guard SSL_CTX_use_PrivateKey_file(pointer, keyFile, SSL_FILETYPE_PEM) == 1 else {
            throw copenssl_is_key_mismatch(ERR_peek_last_error()) == 1 ? .otherKey(keyFile) : .noKey(keyFile)
        }
        // A key of another type is not compared by the call above.
        guard SSL_CTX_check_private_key(pointer) == 1 else { throw .otherKey(keyFile) }
        ERR_clear_error()
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private var certificate: OpaquePointer? { SSL_CTX_get0_certificate(pointer) }

    /// Returns true if the certificate is for the host: a name or an IP address.
    package func isFor(_ host: String) -> Bool {
        let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        switch ServerIdentity(host) {
        case .address(let bytes): return X509_check_ip(certificate, bytes, bytes.count, 0) == 1
        case .name(let labels):
            let name = labels.joined(separator: ".")
            return !name.isEmpty && X509_check_host(certificate, name, name.utf8.count, flags, nil) == 1
        }
    }

    /// True if the certificate has expired.
    package var hasExpired: Bool { X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0 }

    /// True if the certificate is not valid yet.
    package var isEarly: Bool { X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0 }
}

/// Why files are no credentials of a server.
package enum ServerCredentialsProblem: Error, Equatable {
    /// The file cannot be read; errno.
    case unreadable(String, code: Int32)
    /// The file has no certificate in PEM format, or the system's configuration rejects it.
    case noCertificate(String)
    /// The file has no private key in PEM format, or one with a password.
    case noKey(String)
    /// The key is not that of the certificate.
    case otherKey(String)

    /// What is wrong. The first word begins with a small letter.
    package var explanation: String {
        switch self {
        case .unreadable(let path, let code): "\(path) cannot be read (\(String(cString: strerror(code))))"
        case .noCertificate(let path): "\(path) has no certificate in PEM format that OpenSSL accepts"
        case .noKey(let path): "\(path) has no private key in PEM format, or one with a password"
        case .otherKey(let path): "the key in \(path) is not that of the certificate"
        }
    }
}
