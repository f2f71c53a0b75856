import BroadcastExtension
import HTTPClient
import TLS
import WebRTC

/// The HTTP side of WHIP (RFC 9725, section 4): a POST with the offer makes a session, a DELETE ends it.
package struct WHIPEndpoint: Sendable {
    /// Why there is no session.
    enum Failure: Error, Equatable {
        /// The server says that another attempt is of no use: a code and a sentence.
        case refused(code: Int, String)
        /// Another attempt can succeed.
        case unreachable(String)
    }

    struct Session: Sendable {
        /// The session description of the server.
        var answer: String
        /// The address of the session; nil if the server has none, or one to which the token must not go.
        var url: String?
        /// What relays datagrams if no direct path exists.
        var relays: [RelayServer]
    }

    private static let timeout = Duration.seconds(10)
    /// The user waits for it after a stop.
    private static let deleteTimeout = Duration.seconds(2)
    private static let longestAnswer = 64 << 10
    private static let mostRedirects = 5

    private let settings: WHIPSettings
    private let connections: HTTPConnections

    init(_ settings: WHIPSettings) throws(BroadcastFailure) {
        let isSecure = settings.url.lowercased().hasPrefix("https://")
        let identity = isSecure ? ServerIdentity(HTTPAddress.host(of: settings.url)) : nil
        let own = HTTPConnections.Settings(
            localAddress: settings.localAddress?.text, identity: identity, authoritiesFile: settings.authoritiesFile)
        guard let connections = HTTPConnections(own) else {
            throw BroadcastFailure(code: 500, message: "No memory for a connection")
        }
        (self.settings, self.connections) = (settings, connections)
    }

    /// Opens a session.
    func open(offer: String) async throws(Failure) -> Session {
        var url = settings.url
        for _ in 0...Self.mostRedirects {
            let answer = try await perform("POST", url, body: offer)
            switch answer.status {
            case 201:
                guard answer.isComplete else { throw .unreachable("the server's answer broke off") }
                let text = String(decoding: answer.body, as: UTF8.self)
                let session = answer.location.map { HTTPAddress.resolve($0, against: url) }
                return Session(
                    answer: text, url: session.flatMap { mayGo(to: $0) ? $0 : nil },
                    relays: RelayServer.all(inLinks: answer.links))
            case 301, 302, 307, 308:
                guard let location = answer.location else {
                    throw .unreachable("the server moved, and does not say where")
                }
                let next = HTTPAddress.resolve(location, against: url)
                guard mayGo(to: next) else {
                    throw .refused(
                        code: 400, "the server sends to another one: \(HTTPAddress.host(of: next)). Give that address")
                }
                url = next
            default: throw Self.failure(answer, hasToken: settings.token != nil)
            }
        }
        throw .refused(code: 400, "the server redirects in a circle")
    }

    /// Ends a session. It ends by itself if that is not possible.
    func close(_ session: Session) async {
        guard let url = session.url else { return }
        _ = try? await perform("DELETE", url, body: nil)
    }

    /// True if a request may follow the server to an address. Services send from a common address to a server nearby
    /// (RFC 9725, section 4.5), so the token may go to their other hosts; without one, the user's server may send
    /// anywhere. Encryption is not given up.
    private func mayGo(to url: String) -> Bool {
        if HTTPAddress.origin(of: url) == HTTPAddress.origin(of: settings.url) { return true }
        guard url.lowercased().hasPrefix("https://") || !settings.url.lowercased().hasPrefix("https://") else {
            return false
        }
        return settings.token == nil || HTTPAddress.isOfSameOperator(url, as: settings.url)
    }

    func shutDown() async { await connections.shutDown() }

    private func perform(_ method: String, _ url: String, body: String?) async throws(Failure) -> HTTPAnswer {
        var headers = body == nil ? [] : ["Content-Type: application/sdp", "Accept: application/sdp"]
        if let token = settings.token { headers.append("Authorization: Bearer " + token) }
        do throws(HTTPFailure) {
            return try await connections.perform(
                HTTPRequest(
                    method: method, url: url, headers: headers, body: body.map { Array($0.utf8) },
                    timeout: body == nil ? Self.deleteTimeout : Self.timeout, longestRest: Self.longestAnswer,
                    restTimeout: .seconds(5)))
        } catch {
            throw .unreachable(Self.sentence(error.reason, host: HTTPAddress.host(of: url)))
        }
    }

    private static func failure(_ answer: HTTPAnswer, hasToken: Bool) -> Failure {
        switch answer.status {
        case 401, 403:
            .refused(
                code: answer.status,
                hasToken ? "the server does not accept the token" : "the server requires a token")
        case 404: .refused(code: 404, "there is no WHIP endpoint at this address")
        case 405: .refused(code: 405, "this address is no WHIP endpoint: it takes no POST")
        case 400, 415, 422: .refused(code: answer.status, "the server rejects the offer: HTTP \(answer.status)")
        case 409: .unreachable("another session uses this address: HTTP 409")
        default: .unreachable("the server answers HTTP \(answer.status)")
        }
    }

    private static func sentence(_ reason: HTTPFailure.Reason, host: String) -> String {
        switch reason {
        case .noAddress: "the host \(host) has no address"
        case .tls(let problem): "the connection to \(host) is not secure: \(problem)"
        case .noAnswer, .noAnswerInTLS, .tooSlow: "\(host) does not answer in time"
        case .system, .closed, .cancelled, .other: "\(host) cannot be reached"
        }
    }
}
