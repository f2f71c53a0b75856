import TestSupport
import Testing
import broadcast_hls

/// Which certificates prove which hosts to the HTTP client.
struct TLSTrustTests {
    @Test func `A certificate proves the hosts that its alternative names say, and no others`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            for row in CertificateNames.table {
                let pair = try await certificates.server(names: row.names, commonName: row.commonName)
                let certificate = try #require(TLSTrust.authorities(inFile: pair.certificate).first)
                for host in row.proves {
                    #expect(TLSTrust.problem(of: certificate, host: host) == nil, "\(row.names ?? "none"): \(host)")
                }
                for host in row.refuses {
                    #expect(TLSTrust.problem(of: certificate, host: host) != nil, "\(row.names ?? "none"): \(host)")
                }
            }
        }
        #expect(TLSTrust.problem(of: nil, host: "a.example.com") != nil)
    }
}
