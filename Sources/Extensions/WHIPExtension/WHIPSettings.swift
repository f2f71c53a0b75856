import BroadcastExtension
import HTTPClient
import WebRTC

/// The settings of the extension: the answers to the manifest's questions.
package struct WHIPSettings: Equatable, Sendable {
    /// The address of the endpoint, http or https.
    package var url: String
    /// Sent as `Authorization: Bearer`; nil without one.
    package var token: String?
    /// The domains to whose hosts the token may follow a redirect.
    package var redirectDomains: [String] = []
    /// A file of certificates to trust, PEM; nil for those of the system.
    package var authoritiesFile: String?
    /// The IP address that connections and media come from; nil for any.
    package var localAddress: TransportAddress?

    /// Throws a `BroadcastFailure` with the code 400 if a setting is invalid.
    package init(setup: [String: String]) throws(BroadcastFailure) {
        let setup = setup.filter { !$0.value.isEmpty }
        url = try Self.endpoint(setup["url"] ?? "")
        token = setup["token"]
        guard token?.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) != false else {
            throw Self.wrong("token", "it has characters that a header cannot contain")
        }
        if token != nil, !url.lowercased().hasPrefix("https://"), !Self.isLocal(url) {
            throw Self.wrong("url", "a token needs https")
        }
        redirectDomains = setup["redirect-domains"]?.split { $0 == "," || $0 == " " }.map(String.init) ?? []
        authoritiesFile = setup["ca-file"]
        if let bind = setup["bind"] {
            guard let address = TransportAddress(bind, port: 0) else {
                throw Self.wrong("bind", "it must be an IP address of this machine")
            }
            localAddress = address
        }
    }

    /// `whip:https://HOST/PATH`, `whip://HOST/PATH` (https) and `whips://…` name an endpoint, as do http and https.
    private static func endpoint(_ text: String) throws(BroadcastFailure) -> String {
        var rest = text[...]
        for scheme in ["whip:", "whips:"] where rest.lowercased().hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
            break
        }
        if rest.hasPrefix("//") { rest = "https:" + rest }
        let lower = rest.lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"),
            rest.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !HTTPAddress.host(of: String(rest)).isEmpty
        else { throw wrong("url", "it must be https://HOST/PATH") }
        return String(rest)
    }

    private static func isLocal(_ url: String) -> Bool {
        let host = HTTPAddress.host(of: url)
        return host == "localhost" || TransportAddress(host, port: 0)?.isLoopback == true
    }

    private static func wrong(_ key: String, _ reason: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "The setting \(key) is wrong: \(reason).")
    }
}
