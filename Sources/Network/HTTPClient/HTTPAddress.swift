/// Parts of addresses (RFC 3986) with a scheme and a host: `https://host:8443/path?query`.
package enum HTTPAddress {
    /// The host of an address, without its port and brackets.
    package static func host(of url: String) -> String {
        guard let start = url.firstRange(of: "://") else { return "" }
        let authority = url[start.upperBound...].prefix { !"/?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        if place.hasPrefix("[") { return String(place.dropFirst().prefix { $0 != "]" }) }
        return String(place.prefix { $0 != ":" })
    }

    /// The address in a header Location, which can be relative (RFC 3986, section 5.2).
    package static func resolve(_ location: String, against url: String) -> String {
        if let mark = location.firstRange(of: "://"),
            !location[..<mark.lowerBound].contains(where: { "/?#".contains($0) })
        {
            return location
        }
        if location.hasPrefix("//") { return url.prefix { $0 != ":" } + ":" + location }
        if location.hasPrefix("/") { return origin(of: url) + location }
        let path = url.prefix { !"?#".contains($0) }
        guard let slash = path.lastIndex(of: "/"), path[..<slash].count >= origin(of: url).count else {
            return origin(of: url) + "/" + location
        }
        return path[...slash] + location
    }

    /// True if the host of an address is a domain or in it.
    package static func isHost(of url: String, in domain: String) -> Bool {
        let (host, domain) = (host(of: url).lowercased(), domain.lowercased())
        return !domain.isEmpty && (host == domain || host.hasSuffix("." + domain))
    }

    /// Scheme, host and port, in the same spelling for the same server.
    package static func origin(of url: String) -> String {
        guard let start = url.firstRange(of: "://") else { return "" }
        let scheme = url[..<start.upperBound].lowercased()
        let authority = url[start.upperBound...].prefix { !"/?#".contains($0) }.lowercased()
        var place = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let standard = scheme == "https://" ? ":443" : ":80"
        if place.hasSuffix(standard) { place.removeLast(standard.count) }
        return scheme + place
    }
}
