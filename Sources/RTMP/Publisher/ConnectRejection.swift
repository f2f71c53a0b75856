import Mux

/// A `connect` that the server rejected, with the way to go on.
package enum ConnectRejection: Equatable, Sendable {
    /// To another `tcUrl` (Adobe Media Server, `application.redirectConnection`: `ex.code` is 302).
    case redirect(to: String)
    /// With a user's name and password.
    case authenticate(AuthenticationChallenge)

    /// nil where the server just said no.
    init?(_ command: ServerCommand) {
        if let details = command.information?["ex"], details["code"]?.numberValue == 302, let target = details["redirect"]?.stringValue {
            self = .redirect(to: target)
        } else if let challenge = AuthenticationChallenge(command.words) {
            self = .authenticate(challenge)
        } else {
            return nil
        }
    }
}
