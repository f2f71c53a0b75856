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
        /// Another attempt can succeed, after the time that the server asks for.
        case unreachable(String, retryAfter: Duration? = nil)
    }

    struct Session: Sendable {
        /// The session description of the server.
        var answer: String
        /// The address of the session; nil if the server has none, or one at another server.
        var url: String?
        /// What relays datagrams if no direct path exists.
        var relays: [RelayServer]
        /// To the server that has made it, if that is not the one of the settings.
        fileprivate var connections: HTTPConnections?
    }

    private static let timeout = Duration.seconds(10)
    /// The user waits for it after a stop.
    private static let deleteTimeout = Duration.seconds(2)
    private static let longestAnswer = 64 << 10
    private static let mostRedirects = 5

    private let settings: WHIPSettings
    private let connections: HTTPConnections

    init(_ settings: WHIPSettings) throws(BroadcastFailure) {
        guard let connections = Self.connections(to: settings.url, settings) else {
            throw BroadcastFailure(code: 500, message: "No memory for a connection")
        }
        (self.settings, self.connections) = (settings, connections)
    }

    /// Connections to the server of an address, which must prove that it is that one. Nil without memory.
    private static func connections(to url: String, _ settings: WHIPSettings) -> HTTPConnections? {
        let isSecure = url.lowercased().hasPrefix("https://")
        return HTTPConnections(
            HTTPConnections.Settings(
                localAddress: settings.localAddress?.text,
                identity: isSecure ? ServerIdentity(HTTPAddress.host(of: url)) : nil,
                authoritiesFile: settings.authoritiesFile))
    }

    /// Opens a session.
    func open(offer: String) async throws(Failure) -> Session {
        var url = settings.url
        /// To a server that is not that of the settings.
        var others: HTTPConnections?
        do throws(Failure) {
            for _ in 0...Self.mostRedirects {
                let answer = try await perform("POST", url, body: offer, through: others ?? connections)
                switch answer.status {
                case 201:
                    guard answer.isComplete else { throw .unreachable("the server's answer broke off") }
                    let session = answer.location.map { HTTPAddress.resolve($0, against: url) }
                    return Session(
                        answer: String(decoding: answer.body, as: UTF8.self),
                        url: session.flatMap { HTTPAddress.origin(of: $0) == HTTPAddress.origin(of: url) ? $0 : nil },
                        relays: RelayServer.all(inLinks: answer.links), connections: others)
                case 301, 302, 307, 308:
                    guard let location = answer.location else {
                        throw .unreachable("the server moved, and does not say where")
                    }
                    let next = HTTPAddress.resolve(location, against: url)
                    guard mayGo(to: next) else {
                        let host = HTTPAddress.host(of: next)
                        throw .refused(code: 400, "the server sends to another one: \(host). Give that address")
                    }
                    if HTTPAddress.origin(of: next) != HTTPAddress.origin(of: url) {
                        await others?.shutDown()
                        others = Self.connections(to: next, settings)
                        guard others != nil else { throw .unreachable("this machine has no memory") }
                    }
                    url = next
                default: throw Self.failure(answer, hasToken: settings.token != nil)
                }
            }
            throw .refused(code: 400, "the server redirects in a circle")
        } catch {
            await others?.shutDown()
            throw error
        }
    }

    /// Ends a session. It ends by itself if that is not possible.
    func close(_ session: Session) async {
        if let url = session.url {
            _ = try? await perform("DELETE", url, body: nil, through: session.connections ?? connections)
        }
        await session.connections?.shutDown()
    }

    /// True if a request may follow the server to an address. Services send from a common address to a server nearby
    /// (RFC 9725, section 4.5): with a token, only to the domains of the settings. Encryption is not given up.
    private func mayGo(to url: String) -> Bool {
        if HTTPAddress.origin(of: url) == HTTPAddress.origin(of: settings.url) { return true }
        let isSecure = url.lowercased().hasPrefix("https://")
        guard settings.token != nil else {
            return isSecure || !settings.url.lowercased().hasPrefix("https://")
        }
        return isSecure && settings.redirectDomains.contains { HTTPAddress.isHost(of: url, in: $0) }
    }

    func shutDown() async { await connections.shutDown() }

    private func perform(
        _ method: String, _ url: String, body: String?, through connections: HTTPConnections
    ) async throws(Failure) -> HTTPAnswer {
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
        case 409: .unreachable("another session uses this address: HTTP 409", retryAfter: answer.retryAfter)
        default: .unreachable("the server answers HTTP \(answer.status)", retryAfter: answer.retryAfter)
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
