/// A password in an address, as `http://USER:PASSWORD@HOST/` (RFC 3986, 3.2.1).
package enum AddressPassword {
    /// Returns true if `address` contains a password. Another scheme may precede the address (`hls:http://…`).
    package static func isPresent(in address: String) -> Bool {
        guard let start = address.firstRange(of: "://") else { return false }
        let authority = address[start.upperBound...].prefix { !"/?#".contains($0) }
        guard let end = authority.lastIndex(of: "@"), let colon = authority[..<end].firstIndex(of: ":") else { return false }
        return authority.index(after: colon) < end
    }
}
