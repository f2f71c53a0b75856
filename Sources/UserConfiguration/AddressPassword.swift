/// A password in an address, as `http://USER:PASSWORD@HOST/` (RFC 3986, 3.2.1).
package enum AddressPassword {
    /// Whether `address` has one; another scheme may precede its own (`hls:http://…`).
    package static func isPresent(in address: String) -> Bool {
        guard let start = address.firstRange(of: "://") else { return false }
        let authority = address[start.upperBound...].prefix { !"/?#".contains($0) }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else { return false }
        return authority.index(after: colon) < end
    }
}
