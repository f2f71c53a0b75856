import TLS

/// The TLS handlers of a publisher's connections.
struct TLSClient: Sendable {
    private let context: TLSContext

    /// Loads the certificate authorities. This blocks for some milliseconds.
    ///
    /// Throws `unusableCertificateFile` if the certificates cannot be loaded.
    /// - Parameter caFile: a file of trusted PEM certificates. If nil, the system's certificates are trusted.
    init(caFile: String?) throws(RTMPError) {
        do throws(CertificateFileProblem) {
            context = try TLSContext(authoritiesFile: caFile)
        } catch {
            throw .unusableCertificateFile(path: caFile ?? "", error)
        }
    }

    /// Creates the channel handler of one connection. It verifies during the handshake that the server is `host`.
    ///
    /// Throws `insecure` if no certificate can be for `host`.
    func makeHandler(host: String) throws(RTMPError) -> TLSHandler {
        do throws(TLSProblem) {
            return try TLSHandler(context, host: host)
        } catch {
            throw .insecure(host: host, error)
        }
    }
}
