import COpenSSL

extension TLSProblem {
    /// Returns the problem of the last call of libssl on this thread.
    ///
    /// - Parameter verification: the result of the verification of the certificate (`X509_V_…`).
    static func current(_ verification: Int = Int(X509_V_OK)) -> TLSProblem {
        let error = ERR_peek_error()
        switch copenssl_tls_reason(error) {
        case SSL_R_CERTIFICATE_VERIFY_FAILED: return TLSProblem(verification: Int32(truncatingIfNeeded: verification))
        case SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_UNEXPECTED_MESSAGE,
            SSL_R_UNEXPECTED_RECORD, SSL_R_BAD_RECORD_TYPE, SSL_R_PACKET_LENGTH_TOO_LONG:
            return .notTLS
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
            SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_NO_PROTOCOLS_AVAILABLE:
            return .nothingInCommon
        default: return .failed(ERR_reason_error_string(error).map { String(cString: $0) } ?? "unknown")
        }
    }

    /// Creates the problem of a certificate that OpenSSL rejected with this result (`X509_V_…`).
    package init(verification result: Int32) {
        switch result {
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: self = .wrongHost
        // The security level of the system requires more.
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            self = .failed(String(cString: X509_verify_cert_error_string(Int(result))))
        default: self = .unknownIssuer
        }
    }
}
