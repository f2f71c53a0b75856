import TLS
import TestSupport
import Testing

/// Which certificates prove which hosts (RFC 9525). The certificates are made by openssl.
struct ServerIdentityTests {
    @Test func `A certificate proves the hosts that its alternative names say, and no others`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let client = try TLSContext(authoritiesFile: certificates.authority)
            for row in CertificateNames.table {
                let pair = try await certificates.server(names: row.names, commonName: row.commonName)
                for host in row.proves {
                    #expect(try problem(pair, client, host: host) == nil, "\(row.names ?? "none"): \(host)")
                }
                for host in row.refuses {
                    #expect(try problem(pair, client, host: host) == .wrongHost, "\(row.names ?? "none"): \(host)")
                }
            }
        }
    }

    @Test func `A name is sent to the server without its final period, an address is not sent`() async throws {
        #expect(ServerIdentity("A.example.com.").indicatedName == "a.example.com")
        for host in ["127.0.0.1", "::1", "", "bücher.example"] {
            #expect(ServerIdentity(host).indicatedName == nil, "\(host)")
        }
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            let client = try TLSContext(authoritiesFile: certificates.authority)
            let pair = try await certificates.server(names: "DNS:a.example.com,IP:127.0.0.1")
            for (host, name) in [("A.example.com.", "a.example.com"), ("127.0.0.1", nil)] {
                let server = try ServerSide(pair, client: client, host: host)
                try server.connect()
                #expect(server.isSecure && server.indicatedName == name, "\(host)")
            }
        }
    }

    /// Returns why a client rejects the server, or nil if the handshake completes.
    private func problem(_ pair: Certificates.Pair, _ client: TLSContext, host: String) throws -> TLSProblem? {
        do {
            let server = try ServerSide(pair, client: client, host: host)
            try server.connect()
            #expect(server.isSecure)
            return nil
        } catch let problem as TLSProblem {
            return problem
        }
    }
}
