/// A server that relays datagrams, where no direct path exists: TURN over UDP (RFC 8656), with a long-term credential.
package struct RelayServer: Equatable, Sendable {
    package var host: String
    package var port: UInt16
    package var username: String
    package var password: String

    package init(host: String, port: UInt16, username: String, password: String) {
        (self.host, self.port, self.username, self.password) = (host, port, username, password)
    }

    /// The most servers of one answer.
    private static let most = 4
    private static let standardPort: UInt16 = 3478

    /// The relays that a server names in headers `Link` with the relation `ice-server` (RFC 9725, section 4.6;
    /// RFC 8288; RFC 7065). Left out: `stun`, because a server of WHIP sees where the checks come from; `turns`; and
    /// TURN over TCP.
    package static func all(inLinks values: [String]) -> [Self] {
        Array(values.flatMap(links).compactMap(Self.init).prefix(most))
    }

    /// - Parameter link: the target and the parameters.
    private init?(_ link: (target: String, parameters: [String: String])) {
        let relations = link.parameters["rel"]?.lowercased().split(separator: " ") ?? []
        let kind = link.parameters["credential-type"]?.lowercased() ?? "password"
        guard relations.contains("ice-server"), kind == "password", let username = link.parameters["username"],
            let password = link.parameters["credential"]
        else { return nil }
        // turn:HOST[:PORT][?transport=udp]
        let parts = link.target.split(separator: "?", maxSplits: 1).map(String.init)
        guard let place = parts.first, place.lowercased().hasPrefix("turn:"),
            parts.count == 1 || parts[1].lowercased() == "transport=udp",
            let (host, port) = Self.place(place.dropFirst(5))
        else { return nil }
        self.init(host: host, port: port, username: username, password: password)
    }

    private static func place(_ text: Substring) -> (host: String, port: UInt16)? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard (1...253).contains(host.utf8.count) else { return nil }
        if rest.isEmpty { return (String(host), standardPort) }
        guard rest.hasPrefix(":"), let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
        return (String(host), port)
    }

    /// The links of one header: `<TARGET>; NAME=VALUE; NAME="VALUE", <TARGET>…`.
    private static func links(_ text: String) -> [(target: String, parameters: [String: String])] {
        var result: [(target: String, parameters: [String: String])] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard let end = rest.firstIndex(of: ">") else { break }
            let target = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            var parameters: [String: String] = [:]
            while true {
                rest = rest.drop { $0 == " " || $0 == "\t" }
                guard rest.first == ";" else { break }
                rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
                let name = rest.prefix { !"=;, \t".contains($0) }
                rest = rest[name.endIndex...]
                guard rest.first == "=" else { continue }
                rest = rest.dropFirst()
                // The first of several counts (RFC 8288, section 3.3).
                let value = value(&rest)
                if parameters[name.lowercased()] == nil { parameters[name.lowercased()] = value }
            }
            result.append((target, parameters))
        }
        return result
    }

    /// Takes a token or a quoted string (RFC 9110, section 5.6.4).
    private static func value(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { !";, \t".contains($0) }
            rest = rest[token.endIndex...]
            return String(token)
        }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let next = rest.popFirst() { value.append(next) } else { value.append(character) }
        }
        return value
    }
}
