/// The sequence of connection attempts until a server accepts `connect`: redirects and authentication.
///
/// Each rejection determines the next attempt. The sequence is finite, because redirects are counted and each kind of
/// challenge is answered once.
package struct ConnectNegotiation: Sendable {
    /// The maximum number of consecutive redirects.
    package static let maximumRedirects = 3

    /// The URL of the next attempt.
    package private(set) var url: RTMPURL
    /// The text that the next attempt appends to the application name: the authentication query, or an empty string.
    package private(set) var authentication = ""
    package let credentials: RTMPCredentials?

    private var visited: Set<String>
    /// The kinds of challenges that were already answered on this server.
    private var answered: [AuthenticationChallenge.Reason] = []

    /// - Parameter credentials: override the credentials in the URL.
    package init(_ url: RTMPURL, credentials: RTMPCredentials? = nil) {
        self.url = url
        self.credentials = credentials ?? url.credentials
        visited = [url.tcURL]
    }

    /// Updates the next attempt as the server requested.
    ///
    /// Throws `badRedirect` if the redirect cannot be followed, or `signInRefused` if authentication cannot continue.
    /// - Parameter clientChallenge: eight hexadecimal digits, different for each call.
    package mutating func follow(_ rejection: ConnectRejection, clientChallenge: String) throws(RTMPError) {
        switch rejection {
        case .redirect(let target): try redirect(to: target)
        case .authenticate(let challenge): try answer(challenge, clientChallenge)
        }
    }

    private mutating func redirect(to target: String) throws(RTMPError) {
        let next: RTMPURL
        do throws(RTMPURLError) {
            next = try url.resolving(target)
        } catch {
            throw .badRedirect(.invalidAddress)
        }
        guard url.scheme == .rtmp || next.scheme == .rtmps else { throw .badRedirect(.insecure) }
        guard visited.insert(next.tcURL).inserted else { throw .badRedirect(.loop) }
        guard visited.count <= 1 + Self.maximumRedirects else { throw .badRedirect(.tooMany) }
        url = next
        authentication = ""
        answered = []
    }

    private mutating func answer(_ challenge: AuthenticationChallenge, _ clientChallenge: String) throws(RTMPError) {
        guard let credentials else { throw .signInRefused(.missing) }
        guard challenge.reason != .refused, !answered.contains(challenge.reason), !answered.contains(.responseWanted)
        else {
            throw .signInRefused(.wrong)
        }
        answered.append(challenge.reason)
        authentication = challenge.answer(credentials, clientChallenge: clientChallenge, app: url.app)
    }
}
