/// A proxy, which resolves the names of servers.
package struct HTTPProxy: Equatable, Sendable {
    package enum Kind: String, Sendable {
        /// CONNECT for https, and absolute addresses for http.
        case http
        /// SOCKS 5 with names: libcurl's scheme.
        case socks5 = "socks5h"
    }

    package var kind: Kind
    /// A name, or an IP address without brackets.
    package var host: String
    package var port: Int
    package var user: String?
    package var password: String?

    package init(_ kind: Kind, host: String, port: Int, user: String? = nil, password: String? = nil) {
        (self.kind, self.host, self.port, self.user, self.password) = (kind, host, port, user, password)
    }

    /// The address for libcurl.
    var url: String { "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
