import Glibc

/// The identity that a certificate must prove: that of the address which the user gave (RFC 9525).
package enum ServerIdentity: Equatable, Sendable {
    /// An IPv4 or IPv6 address in network byte order (IP-ID).
    case address([UInt8])
    /// The labels of a host name, in lower case (DNS-ID).
    case name([String])

    /// - Parameter host: a name, with or without a final period, or an IP address.
    package init(_ host: String) {
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

    /// Whether a certificate can be for this identity: a name needs labels, and none of them is empty.
    var isProvable: Bool {
        switch self {
        case .address: true
        case .name(let labels): !labels.isEmpty && !labels.contains("")
        }
    }

    /// The name to send to the server (SNI, RFC 6066, section 3), which has no final period; nil for an address.
    package var indicatedName: String? {
        guard case .name(let labels) = self, !labels.isEmpty else { return nil }
        return labels.joined(separator: ".")
    }

    /// Returns the labels of a name in lower case; none if a byte cannot be in a host name. A name in other letters is
    /// written with A-labels in certificates (RFC 9525, section 2), so it must be given in that form.
    package static func labels(_ name: [UInt8]) -> [String] {
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
