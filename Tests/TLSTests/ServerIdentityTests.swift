import NIOSSL
import TLS
import TestSupport
import Testing

/// Which certificates prove which hosts (RFC 9525). The certificates are made by openssl.
struct ServerIdentityTests {
    /// A certificate, the hosts that it proves and some that it does not prove.
    private struct Row {
        var names: String?
        var commonName = "Test server"
        var proves: [String] = []
        var refuses: [String] = []
    }

    private static let rows = [
        Row(
            names: "DNS:a.example.com", proves: ["a.example.com", "A.EXAMPLE.com", "a.example.com."],
            refuses: ["b.example.com", "example.com", "x.a.example.com", "a.example.com.."]),
        Row(
            names: "DNS:other.example,DNS:a.example.com", proves: ["a.example.com", "other.example"],
            refuses: ["example"]),
        // An address proves an address only, in both directions.
        Row(
            names: "IP:127.0.0.1", proves: ["127.0.0.1"],
            refuses: ["localhost", "a.example.com", "127.0.0.2", "::ffff:127.0.0.1", "127.1"]),
        Row(names: "IP:::1", proves: ["::1", "0:0:0:0:0:0:0:1"], refuses: ["localhost", "::2", "0.0.0.1"]),
        Row(names: "DNS:127.0.0.1", refuses: ["127.0.0.1", "localhost"]),
        Row(names: "DNS:localhost,IP:10.0.0.1", proves: ["localhost", "10.0.0.1"], refuses: ["127.0.0.1"]),
        // A wildcard is one whole label, the first.
        Row(
            names: "DNS:*.example.com", proves: ["a.example.com", "xn--bcher-kva.example.com"],
            refuses: ["example.com", "a.b.example.com", ".example.com"]),
        Row(names: "DNS:*.b.example.com", proves: ["a.b.example.com"], refuses: ["b.example.com", "a.example.com"]),
        Row(names: "DNS:a.*.example.com", refuses: ["a.b.example.com", "a.*.example.com.x"]),
        Row(
            names: "DNS:a*.example.com,DNS:*a.example.com,DNS:**.example.com",
            refuses: ["ab.example.com", "ba.example.com", "b.example.com"]),
        Row(names: "DNS:*.com,DNS:*", refuses: ["example.com", "com", "localhost"]),
        // The common name never counts.
        Row(names: nil, commonName: "a.example.com", refuses: ["a.example.com"]),
        Row(names: "DNS:other.example", commonName: "a.example.com", refuses: ["a.example.com"]),
        Row(
            names: "email:a@example.com,URI:https://a.example.com", commonName: "a.example.com",
            refuses: ["a.example.com", "example.com"]),
        // A name in other letters is compared in the form that DNS uses.
        Row(
            names: "DNS:xn--bcher-kva.example", proves: ["xn--bcher-kva.example", "XN--BCHER-KVA.example"],
            refuses: ["bücher.example", "bcher.example"]),
        Row(
            names: "DNS:a.example.com",
            refuses: ["", ".", "a.example.com\0", "a.example.com\0.evil.example", "a.example.com/", "[a.example.com]"]),
    ]

    @Test func `A certificate proves the hosts that its alternative names say, and no others`() async throws {
        try await withPeers { peers in
            let certificates = try await Certificates.make(in: peers)
            for row in Self.rows {
                let pair = try await certificates.server(names: row.names, commonName: row.commonName)
                let certificate = try #require(NIOSSLCertificate.fromPEMFile(pair.certificate).first)
                for host in row.proves {
                    #expect(TLSTrust.problem(of: certificate, host: host) == nil, "\(row.names ?? "none"): \(host)")
                }
                for host in row.refuses {
                    #expect(
                        TLSTrust.problem(of: certificate, host: host) == .wrongHost, "\(row.names ?? "none"): \(host)")
                }
            }
        }
        #expect(TLSTrust.problem(of: nil, host: "a.example.com") == .wrongHost)
    }

    @Test func `A name is sent to the server without its final period, an address is not sent`() {
        #expect(TLSTrust.indicatedName(of: "A.example.com.") == "a.example.com")
        for host in ["127.0.0.1", "::1", "", "bücher.example"] {
            #expect(TLSTrust.indicatedName(of: host) == nil, "\(host)")
        }
    }

    @Test func `No version before 1.2 is offered`() {
        #expect(TLSTrust(authorities: nil).configuration.minimumTLSVersion == .tlsv12)
    }
}
