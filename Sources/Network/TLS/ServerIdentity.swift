import Glibc
import NIOSSL

/// The identity that a certificate must prove: that of the address which the user gave (RFC 9525).
enum ServerIdentity: Equatable {
    /// An IPv4 or IPv6 address in network byte order (IP-ID).
    case address([UInt8])
    /// The labels of a host name, in lower case (DNS-ID).
    case name([String])

    /// - Parameter host: a name, with or without a final period, or an IP address.
    init(_ host: String) {
        var version4 = in_addr()
        var version6 = in6_addr()
        if inet_pton(AF_INET, host, &version4) == 1 {
            self = .address(withUnsafeBytes(of: version4) { Array($0) })
        } else if inet_pton(AF_INET6, host, &version6) == 1 {
            self = .address(withUnsafeBytes(of: version6) { Array($0) })
        } else {
            let name = host.hasSuffix(".") ? host.dropLast() : host[...]
            self = .name(Self.labels(name.utf8.map { $0 }))
        }
    }

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
    static func matches(_ labels: [String], pattern: [String]) -> Bool {
        guard !labels.isEmpty, labels.count == pattern.count, !labels.contains("") else { return false }
        guard pattern[0] == "*" else { return labels == pattern }
        return pattern.count >= 3 && labels.dropFirst() == pattern.dropFirst()
    }

    /// The labels in lower case; none if a byte cannot be in a host name. A name in other letters is written with
    /// A-labels in certificates (RFC 9525, section 2), so it must be given in that form.
    private static func labels(_ name: [UInt8]) -> [String] {
        let isName = name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "*"): true
            default: false
            }
        }
        guard isName, !name.isEmpty else { return [] }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self).lowercased()
        }
    }
}
