/// The names in a certificate, the hosts that it proves, and some that it does not prove (RFC 9525).
package struct CertificateNames: Sendable {
    /// The alternative names, as of `Certificates.server(names:)`.
    package var names: String?
    package var commonName = "Test server"
    package var proves: [String] = []
    package var refuses: [String] = []

    /// What every TLS client of the project must accept and reject.
    package static let table = [
        CertificateNames(
            names: "DNS:a.example.com", proves: ["a.example.com", "A.EXAMPLE.com", "a.example.com."],
            refuses: ["b.example.com", "example.com", "x.a.example.com", "a.example.com.."]),
        CertificateNames(
            names: "DNS:other.example,DNS:a.example.com", proves: ["a.example.com", "other.example"],
            refuses: ["example"]),
        // An address proves an address only, in both directions.
        CertificateNames(
            names: "IP:127.0.0.1", proves: ["127.0.0.1"],
            refuses: ["localhost", "a.example.com", "127.0.0.2", "::ffff:127.0.0.1", "127.1"]),
        CertificateNames(
            names: "IP:::1", proves: ["::1", "0:0:0:0:0:0:0:1"], refuses: ["localhost", "::2", "0.0.0.1"]),
        CertificateNames(names: "DNS:127.0.0.1", refuses: ["127.0.0.1", "localhost"]),
        CertificateNames(
            names: "DNS:localhost,IP:10.0.0.1", proves: ["localhost", "10.0.0.1"], refuses: ["127.0.0.1"]),
        // A wildcard is one whole label, the first.
        CertificateNames(
            names: "DNS:*.example.com", proves: ["a.example.com", "xn--bcher-kva.example.com"],
            refuses: ["example.com", "a.b.example.com", ".example.com"]),
        CertificateNames(
            names: "DNS:*.b.example.com", proves: ["a.b.example.com"], refuses: ["b.example.com", "a.example.com"]),
        CertificateNames(names: "DNS:a.*.example.com", refuses: ["a.b.example.com", "a.*.example.com.x"]),
        CertificateNames(
            names: "DNS:a*.example.com,DNS:*a.example.com,DNS:**.example.com",
            refuses: ["ab.example.com", "ba.example.com", "b.example.com"]),
        CertificateNames(names: "DNS:*.com,DNS:*", refuses: ["example.com", "com", "localhost"]),
        // The common name never counts.
        CertificateNames(names: nil, commonName: "a.example.com", refuses: ["a.example.com"]),
        CertificateNames(names: "DNS:other.example", commonName: "a.example.com", refuses: ["a.example.com"]),
        CertificateNames(
            names: "email:a@example.com,URI:https://a.example.com", commonName: "a.example.com",
            refuses: ["a.example.com", "example.com"]),
        // A name in other letters is compared in the form that DNS uses.
        CertificateNames(
            names: "DNS:xn--bcher-kva.example", proves: ["xn--bcher-kva.example", "XN--BCHER-KVA.example"],
            refuses: ["bücher.example", "bcher.example"]),
        CertificateNames(
            names: "DNS:a.example.com",
            refuses: ["", ".", "a.example.com\0", "a.example.com\0.evil.example", "a.example.com/", "[a.example.com]"]),
    ]
}
