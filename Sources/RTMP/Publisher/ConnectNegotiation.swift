/// The connections that it takes until a server lets us in: redirected, and asked who we are.
///
/// Each rejection says what the next attempt is; it ends, because redirects are counted and each question is answered once.
package struct ConnectNegotiation: Sendable {
    /// Redirects that are followed, one after another.
    package static let maximumRedirects = 3

    /// Where the next attempt goes.
    package private(set) var url: RTMPURL
    /// What the next attempt puts behind the application's name: nothing, or who we are.
    package private(set) var authentication = ""
    package let credentials: RTMPCredentials?

    private var visited: Set<String>
    /// The challenges that were answered on this server.
    private var answered: [AuthenticationChallenge.Reason] = []

    /// - Parameter credentials: where there are some, they go before those in the URL.
    package init(_ url: RTMPURL, credentials: RTMPCredentials? = nil) {
        self.url = url
        self.credentials = credentials ?? url.credentials
        visited = [url.tcURL]
    }

    /// Takes the way that the server has named; throws where there is none.
    ///
    /// - Parameter clientChallenge: eight hexadecimal digits that are new each time.
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
        guard let credentials else {
            throw .refused(code: RTMPError.authenticationCode, description: "it wants a user name and a password")
        }
        guard challenge.reason != .refused, !answered.contains(challenge.reason), !answered.contains(.responseWanted) else {
            throw .refused(code: RTMPError.authenticationCode, description: "the user name or the password is wrong")
        }
        answered.append(challenge.reason)
        authentication = challenge.answer(credentials, clientChallenge: clientChallenge, app: url.app)
    }
}
