import Glibc
import NIOCore
import NIOSSL

/// What a TLS client trusts, and the one place that decides whether a server is the one that was asked for.
///
/// BoringSSL verifies the chain, the times and the purpose of the certificate during the handshake (RFC 5280, section
/// 6). It does not verify the name: NIOSSL would also accept a certificate for the address of the TCP peer, which after
/// a forged DNS answer or through a proxy is another machine. So the owner of a connection calls `problem(of:host:)`
/// after the handshake, before the first byte is sent.
public struct TLSTrust: Sendable {
    /// The configuration of a client: TLS 1.2 or later (RFC 9325, section 3.1.1), and a verified chain.
    public let configuration: TLSConfiguration

    /// - Parameter authorities: the certificates to trust, or nil for those of the system.
    public init(authorities: [NIOSSLCertificate]?) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .noHostnameVerification
        if let authorities { configuration.trustRoots = .certificates(authorities) }
        self.configuration = configuration
    }

    /// Reads a file of trusted certificates in PEM format. This blocks for some milliseconds.
    public static func authorities(inFile path: String) throws(CertificateFileProblem) -> [NIOSSLCertificate] {
        guard access(path, R_OK) == 0 else { throw .system(code: errno) }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .noCertificate
        }
        return certificates
    }

    /// Returns what is wrong with the server's certificate, or nil if it is for `host`.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate after the handshake; nil if it sent none.
    ///   - host: the host of the address that the user gave: a name or an IP address, also if a proxy connects to it.
    public static func problem(of certificate: NIOSSLCertificate?, host: String) -> TLSProblem? {
        guard let certificate, ServerIdentity(host).isProven(by: certificate) else { return .wrongHost }
        return nil
    }

    /// Returns the name to send to the server (SNI, RFC 6066, section 3), which has no final period; nil for an
    /// address.
    public static func indicatedName(of host: String) -> String? {
        guard case .name(let labels) = ServerIdentity(host), !labels.isEmpty else { return nil }
        return labels.joined(separator: ".")
    }
}
