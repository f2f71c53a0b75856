import COpenSSL

extension ServerIdentity {
    /// Requires that an alternative name of the server's certificate is this identity (RFC 9525): the common name never
    /// counts, and a wildcard is one whole label, the first, with at least two labels after it.
    ///
    /// - Parameter parameters: those of the verification (`X509_VERIFY_PARAM`).
    /// - Returns: false if no certificate can prove the identity, or without memory. The connection must fail then,
    ///   because OpenSSL would not check the name.
    package func require(in parameters: OpaquePointer) -> Bool {
        guard isProvable else { return false }
        X509_VERIFY_PARAM_set_hostflags(
            parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        switch self {
        case .address(let bytes): return X509_VERIFY_PARAM_set1_ip(parameters, bytes, bytes.count) == 1
        case .name:
            guard let name = indicatedName else { return false }
            return X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
        }
    }
}
