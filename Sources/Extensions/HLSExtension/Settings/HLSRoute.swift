import BroadcastExtension
import Glibc
import HTTPClient

/// How connections to the server leave this machine.
package struct HLSRoute: Equatable, Sendable {
    package var proxy: HTTPProxy?
    /// The IP address that connections come from; `0.0.0.0` and `::` only choose the version of IP.
    package var localAddress: String?

    package init() {}

    /// Throws a `BroadcastFailure` with the code 400 for a setting that HTTP cannot use.
    package init(setup: [String: String]) throws(BroadcastFailure) {
        if let text = setup["proxy"] {
            proxy = try Self.proxy(text, user: setup["proxy-user"], password: setup["proxy-password"])
        }
        if let source = setup["bind"] {
            guard Self.isAddress(source) else {
                throw BroadcastFailure(
                    code: 400, message: "bind: for HLS this must be an IP address of this machine, not an interface")
            }
            localAddress = source
        }
        switch setup["ip-version"] {
        case nil: break
        case "4": localAddress = localAddress ?? "0.0.0.0"
        case "6": localAddress = localAddress ?? "::"
        default: throw BroadcastFailure(code: 400, message: "ip-version: this must be 4 or 6")
        }
        if let source = setup["bind"], let version = setup["ip-version"], source.contains(":") != (version == "6") {
            throw BroadcastFailure(
                code: 400, message: "bind: this is no address of IP version \(version). Remove bind or ip-version")
        }
    }

    private static func proxy(
        _ text: String, user: String?, password: String?
    ) throws(BroadcastFailure) -> HTTPProxy {
        let wrong = BroadcastFailure(code: 400, message: "proxy: this must be socks5://HOST:PORT or http://HOST:PORT")
        guard let mark = text.firstRange(of: "://"), let colon = text.lastIndex(of: ":"), colon >= mark.upperBound,
            let port = Int(text[text.index(after: colon)...])
        else { throw wrong }
        var host = text[mark.upperBound..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        // libcurl would read a user name, or another host than the one that was checked.
        guard !host.isEmpty, !host.contains(where: { "@/?#\\[]".contains($0) }) else { throw wrong }
        let kind: HTTPProxy.Kind
        switch text[..<mark.lowerBound] {
        case "http": kind = .http
        case "socks5": kind = .socks5
        default: throw wrong
        }
        return HTTPProxy(kind, host: String(host), port: port, user: user, password: user.map { _ in password ?? "" })
    }

    private static func isAddress(_ text: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }
}
