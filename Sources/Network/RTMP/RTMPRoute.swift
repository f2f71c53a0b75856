import Glibc
import NetworkSupport

/// How connections leave this machine: the version of IP, a proxy, and the local end.
public struct RTMPRoute: Sendable, Hashable {
    /// The version of IP that is used to reach the server or, if there is one, the proxy.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        case any
        case four = "4"
        case six = "6"
    }

    /// A proxy. It resolves the name of the server.
    public enum Proxy: Sendable, Hashable {
        /// SOCKS version 5 (RFC 1928).
        case socks5(host: String, port: Int)
        /// The method CONNECT of HTTP (RFC 9110, 9.3.6).
        case http(host: String, port: Int)

        /// `socks5://HOST[:PORT]` or `http://HOST[:PORT]`; nil for another text. The default ports are 1080 and 8080.
        public init?(_ text: String) {
            guard let mark = text.firstRange(of: "://") else { return nil }
            let scheme = text[..<mark.lowerBound].lowercased()
            var rest = text[mark.upperBound...]
            if rest.last == "/" { rest = rest.dropLast() }
            guard !rest.isEmpty, rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
                !rest.contains(where: { "@/?#".contains($0) })
            else {
                return nil
            }
            var host = rest
            var port: Int?
            let hasPort = rest.first == "[" ? rest.contains("]:") : rest.contains(":")
            if hasPort, let colon = rest.lastIndex(of: ":") {
                host = rest[..<colon]
                port = Int(rest[rest.index(after: colon)...])
                guard let port, (1...65_535).contains(port) else { return nil }
            }
            if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { return nil }
            switch scheme {
            case "socks5", "socks5h": self = .socks5(host: String(host), port: port ?? 1080)
            case "http": self = .http(host: String(host), port: port ?? 8080)
            default: return nil
            }
        }

        var kind: ProxyTunnel.Kind {
            switch self {
            case .socks5: .socks5
            case .http: .connect
            }
        }

        var host: String {
            switch self {
            case .socks5(let host, _), .http(let host, _): host
            }
        }

        var port: Int {
            switch self {
            case .socks5(_, let port), .http(_, let port): port
            }
        }
    }

    /// The local end of connections.
    public enum Source: Sendable, Hashable {
        /// An IP address of this machine.
        case address(String)
        /// A network interface, such as `wg0`.
        case interface(String)

        /// An IP address, or the name of an interface; nil for a text that cannot be either.
        public init?(_ text: String) {
            if IPAddress.isValid(text) {
                self = .address(text)
            } else if (1..<Int(IFNAMSIZ)).contains(text.utf8.count),
                text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") })
            {
                self = .interface(text)
            } else {
                return nil
            }
        }
    }

    public var version = Version.any
    public var proxy: Proxy?
    /// The user name and the password for the proxy: of SOCKS (RFC 1929), or of HTTP's scheme Basic (RFC 7617). They
    /// are sent to the proxy without encryption.
    public var proxyCredentials: RTMPCredentials?
    public var source: Source?

    public init() {}
}

/// IP addresses as text.
enum IPAddress {
    static func isValid(_ text: String) -> Bool { isVersion4(text) || isVersion6(text) }

    static func isVersion4(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    static func isVersion6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }
}
