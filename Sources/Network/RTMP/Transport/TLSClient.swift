import NIOSSL
import TLS

/// The TLS handlers of a publisher's connections.
struct TLSClient: Sendable {
    /// The maximum time to wait for the server's close notification.
    private static let shutdownTimeout: Duration = .seconds(1)

    private let context: NIOSSLContext

    /// Loads the certificate authorities. This blocks for some milliseconds.
    ///
    /// Throws `unusableCertificateFile` if the certificates cannot be loaded.
    /// - Parameter caFile: a file of trusted PEM certificates. If nil, the system's certificates are trusted.
    init(caFile: String?) throws(RTMPError) {
        var authorities: [NIOSSLCertificate]?
        if let caFile {
            do throws(CertificateFileProblem) {
                authorities = try TLSTrust.authorities(inFile: caFile)
            } catch {
                throw .unusableCertificateFile(path: caFile, error)
            }
        }
        var configuration = TLSTrust(authorities: authorities).configuration
        configuration.shutdownTimeout = .init(Self.shutdownTimeout)
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unusableCertificateFile(path: caFile ?? "", .rejected)
        }
    }

    /// Creates the channel handler of one connection to `host`. The receiver of the end of the handshake checks the
    /// identity.
    func makeHandler(host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: TLSTrust.indicatedName(of: host))
    }
}
