import COpenSSL
import Glibc

/// A certificate of this process and its key, for DTLS. The peer knows it by its fingerprint in the session description
/// (RFC 8122); no authority signs it.
package final class DTLSCertificate {
    let certificate: OpaquePointer
    let key: OpaquePointer
    /// SHA-256 of the certificate, in upper case with colons.
    let fingerprint: String

    /// Throws `noMemory` if OpenSSL cannot make it.
    package init() throws(WebRTCError) {
        _ = copenssl_initialize()
        guard let key = copenssl_new_p256_key() else { throw .noMemory }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw .noMemory
        }
        (self.key, self.certificate) = (key, certificate)
        let day = 86_400
        let isMade =
            ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max))) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), 30 * day) != nil
            && copenssl_sign_certificate(certificate, key, "broadcast") == 1
        fingerprint = Self.fingerprint(of: certificate)
        guard isMade else { throw .noMemory }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    static func fingerprint(of certificate: OpaquePointer) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        X509_digest(certificate, EVP_sha256(), &digest, &count)
        let digits = Array("0123456789ABCDEF")
        return digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}
