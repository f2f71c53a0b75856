import Glibc
import NIOSSL
import TLS

/// What the HTTP client trusts, and the one place that decides whether a server is the one that was asked for. RTMPS has
/// OpenSSL's check (`TLSConnection`); this one is for swift-nio-ssl, and both are tested with the same table.
///
/// BoringSSL verifies the chain, the times and the purpose of the certificate during the handshake (RFC 5280, section
/// 6). It does not verify the name: NIOSSL would also accept a certificate for the address of the TCP peer, which after
/// a forged DNS answer or through a proxy is another machine. So the owner of a connection calls `problem(of:host:)`
/// after the handshake, before the first byte is sent.
package struct TLSTrust: Sendable {
    /// The configuration of a client: TLS 1.2 or later (RFC 9325, section 3.1.1), and a verified chain.
    package let configuration: TLSConfiguration

    /// - Parameter authorities: the certificates to trust, or nil for those of the system.
    package init(authorities: [NIOSSLCertificate]?) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .noHostnameVerification
        if let authorities { configuration.trustRoots = .certificates(authorities) }
        self.configuration = configuration
    }

    /// Reads a file of trusted certificates in PEM format. This blocks for some milliseconds.
    package static func authorities(inFile path: String) throws(CertificateFileProblem) -> [NIOSSLCertificate] {
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
    package static func problem(of certificate: NIOSSLCertificate?, host: String) -> TLSProblem? {
        guard let certificate, ServerIdentity(host).isProven(by: certificate) else { return .wrongHost }
        return nil
    }
}

extension ServerIdentity {
    /// Whether one of the certificate's alternative names is this identity. The common name never counts (RFC 9525,
    /// section 2).
    func isProven(by certificate: NIOSSLCertificate) -> Bool {
        certificate._subjectAlternativeNames().contains { name in
            switch (self, name.nameType) {
            case (.address(let address), .ipAddress): address.elementsEqual(name.contents)
            case (.name(let labels), .dnsName): Self.matches(labels, pattern: Self.labels(Array(name.contents)))
            default: false
            }
        }
    }

    /// A wildcard stands for exactly one label, the first, and only as the whole label (RFC 9525, section 6.3). At
    /// least two labels follow it: nobody owns all names below `com`.
    private static func matches(_ labels: [String], pattern: [String]) -> Bool {
        guard !labels.isEmpty, labels.count == pattern.count, !labels.contains("") else { return false }
        guard pattern[0] == "*" else { return labels == pattern }
        return pattern.count >= 3 && labels.dropFirst() == pattern.dropFirst()
    }
}
