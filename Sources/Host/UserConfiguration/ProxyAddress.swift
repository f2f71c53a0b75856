import Media
import RTMP

/// The address of a proxy as users write it: `socks5://[USER@]HOST[:PORT]` or `http://[USER@]HOST[:PORT]`.
///
/// It never contains the password, which is in the environment (`BROADCAST_PROXY_PASSWORD`).
package struct ProxyAddress: Sendable, Equatable {
    /// Why a text is not such an address.
    package enum Problem: Error, Sendable, Equatable {
        case notAProxy
        case containsPassword
    }

    package var proxy: RTMPRoute.Proxy
    /// Nil if the proxy requires no user name.
    package var user: String?

    package init(_ text: String) throws(Problem) {
        var address = text
        if let mark = text.firstRange(of: "://"), let end = text[mark.upperBound...].lastIndex(of: "@") {
            let name = text[mark.upperBound..<end]
            if name.contains(":") { throw .containsPassword }
            guard let user = PercentEncoding.decodedText(name), !user.isEmpty else { throw .notAProxy }
            self.user = user
            address = String(text[..<mark.upperBound] + text[text.index(after: end)...])
        }
        guard let proxy = RTMPRoute.Proxy(address) else { throw .notAProxy }
        self.proxy = proxy
    }
}
