import Foundation

/// Certificates made by openssl: an authority, and what it signs for servers on this machine.
package struct Certificates: Sendable {
    /// A server's certificate and its private key, PEM files.
    package struct Pair: Sendable {
        package let certificate: String
        package let key: String
    }

    /// The authority's certificate, a PEM file: what a client is to trust.
    package let authority: String
    /// The authority's own certificate and key, for a server that presents a certificate that is signed by itself.
    package var selfSigned: Pair { Pair(certificate: authority, key: "\(folder)/ca.key") }
    private let folder: String
    private let peers: Peers

    /// Makes the authority.
    nonisolated(nonsending) package static func make(in peers: Peers) async throws -> Certificates {
        let folder = try peers.makeFolder("certificates")
        try await peers.run(
            "openssl-authority",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2", "-subj",
                "/CN=Test authority", "-keyout", "\(folder)/ca.key", "-out", "\(folder)/ca.pem",
            ])
        return Certificates(authority: "\(folder)/ca.pem", folder: folder, peers: peers)
    }

    /// A certificate for these names (`DNS:localhost`, `IP:127.0.0.1`), valid between two times in UTC
    /// (`20200101000000Z`); nil is from yesterday to tomorrow.
    /// - Parameters:
    ///   - names: the alternative names; nil for none.
    ///   - usage: the extended key usage (`clientAuth`), or nil for a certificate that has none.
    nonisolated(nonsending) package func server(
        names: String?, commonName: String = "Test server", usage: String? = nil, validity: (String, String)? = nil
    ) async throws -> Pair {
        let place = try peers.makeFolder("server-certificate")
        let configuration = """
            [ca]
            default_ca = own
            [own]
            database = \(place)/index.txt
            new_certs_dir = \(place)
            rand_serial = yes
            default_md = sha256
            policy = any
            x509_extensions = names
            copy_extensions = none
            [any]
            commonName = supplied
            [names]
            basicConstraints = CA:FALSE
            \(names.map { "subjectAltName = \($0)" } ?? "")
            \(usage.map { "extendedKeyUsage = \($0)" } ?? "")
            """
        try configuration.write(toFile: "\(place)/openssl.conf", atomically: false, encoding: .utf8)
        try "".write(toFile: "\(place)/index.txt", atomically: false, encoding: .utf8)
        let pair = Pair(certificate: "\(place)/server.pem", key: "\(place)/server.key")
        try await peers.run(
            "openssl-request",
            [
                "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/CN=\(commonName)", "-keyout", pair.key,
                "-out", "\(place)/server.csr",
            ])
        let now = Date()
        let validity =
            validity ?? (Self.text(now.addingTimeInterval(-86_400)), Self.text(now.addingTimeInterval(86_400)))
        try await peers.run(
            "openssl-sign",
            [
                "openssl", "ca", "-batch", "-notext", "-config", "\(place)/openssl.conf", "-cert", authority,
                "-keyfile", "\(folder)/ca.key",
                "-startdate", validity.0, "-enddate", validity.1, "-in", "\(place)/server.csr", "-out",
                pair.certificate,
            ])
        return pair
    }

    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }
}
