import Glibc
import NIOSSL

/// The client side of TLS. It requires version 1.2 or later and verifies the certificate and the host name.
struct TLSClient: Sendable {
    /// The maximum time to wait for the server's close notification.
    private static let shutdownTimeout: Duration = .seconds(1)

    private let context: NIOSSLContext

    /// Loads the certificate authorities. This blocks for some milliseconds.
    ///
    /// Throws `unusableCertificateFile` if the certificates cannot be loaded.
    /// - Parameter caFile: a file of trusted PEM certificates. If nil, the system's certificates are trusted.
    init(caFile: String?) throws(RTMPError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        configuration.shutdownTimeout = .init(Self.shutdownTimeout)
        if let caFile { configuration.trustRoots = .certificates(try Self.certificates(caFile)) }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unusableCertificateFile(path: caFile ?? "", .rejected)
        }
    }

    private static func certificates(_ path: String) throws(RTMPError) -> [NIOSSLCertificate] {
        guard access(path, R_OK) == 0 else { throw .unusableCertificateFile(path: path, .system(code: errno)) }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .unusableCertificateFile(path: path, .noCertificate)
        }
        return certificates
    }

    /// Creates the channel handler of one connection to `host`. The name is sent to the server (SNI) unless it is an
    /// address.
    func makeHandler(host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: IPAddress.isValid(host) ? nil : host)
    }
}
