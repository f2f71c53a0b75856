import Glibc
import NIOSSL

/// The client's side of TLS: version 1.2 or later, certificate and host name verified.
struct TLSClient: Sendable {
    /// How long a server may take to answer our goodbye.
    private static let shutdownTimeout: Duration = .seconds(1)

    private let context: NIOSSLContext

    /// Reads the certificate authorities: blocks for some milliseconds.
    ///
    /// - Parameter caFile: PEM certificates to trust; nil trusts what the system does.
    init(caFile: String?) throws(RTMPError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        configuration.shutdownTimeout = .init(Self.shutdownTimeout)
        if let caFile { configuration.trustRoots = .certificates(try Self.certificates(caFile)) }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unusableCertificateFile(path: caFile ?? "the system's store", reason: "TLS cannot load it")
        }
    }

    private static func certificates(_ path: String) throws(RTMPError) -> [NIOSSLCertificate] {
        guard access(path, R_OK) == 0 else {
            throw .unusableCertificateFile(path: path, reason: strerror(errno).map { String(cString: $0) } ?? "error \(errno)")
        }
        guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
            throw .unusableCertificateFile(path: path, reason: "it holds no PEM certificate")
        }
        return certificates
    }

    /// A channel handler for one connection to `host`, whose name goes to the server (SNI) unless it is an address.
    func makeHandler(host: String) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: Self.isAddress(host) ? nil : host)
    }

    private static func isAddress(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }
}
