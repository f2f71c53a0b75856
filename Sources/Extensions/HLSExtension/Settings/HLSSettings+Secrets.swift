import BroadcastExtension

/// Secrets that must not be sent as the settings say.
extension HLSSettings {
    /// The settings that are secret, or that are sent together with a secret.
    private static let secrets = ["user", "password", "token", "key"]

    /// Throws if a secret has several lines, which a header or an address cannot contain, or if it would go unencrypted
    /// to another machine.
    static func checkSecrets(in setup: [String: String]) throws(BroadcastFailure) {
        let given = secrets.filter { setup[$0]?.isEmpty == false }
        for name in given where setup[name]?.contains(where: \.isNewline) == true {
            throw BroadcastFailure(code: 400, message: "\(name): this must be one line")
        }
        // As the settings read it: without line breaks.
        guard var url = setup["url"]?.filter({ !$0.isNewline }).lowercased() else { return }
        if url.hasPrefix("hls:") { url.removeFirst(4) }
        guard url.hasPrefix("http://"), !isLoopback(url.dropFirst(7)) || hasRemoteProxy(setup) else { return }
        // A key is sent only if the address has a place for it.
        guard let name = given.first(where: { $0 != "key" || url.contains("{key}") }) else { return }
        throw BroadcastFailure(
            code: 400,
            message: "url: the \(name) must not go to another machine over http://. Use https://, or remove the \(name)"
        )
    }

    /// True if all requests go to a proxy on another machine.
    private static func hasRemoteProxy(_ setup: [String: String]) -> Bool {
        guard let proxy = setup["proxy"]?.lowercased() else { return false }
        guard let mark = proxy.firstRange(of: "://") else { return true }
        return !isLoopback(proxy[mark.upperBound...])
    }

    /// - Parameter address: an address without its scheme, in lower case.
    private static func isLoopback(_ address: Substring) -> Bool {
        let authority = address.prefix { !"/?#".contains($0) }
        if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
        let host = authority.prefix { $0 != ":" }
        return host == "localhost" || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
    }
}
