import Mux

/// A rejected `connect` that tells the client how to continue.
package enum ConnectRejection: Equatable, Sendable {
    /// Connect to another `tcUrl` (Adobe Media Server, `application.redirectConnection`: `ex.code` is 302).
    case redirect(to: String)
    /// Authenticate with a user name and a password.
    case authenticate(AuthenticationChallenge)

    /// Returns nil if the rejection does not tell the client how to continue.
    init?(_ command: ServerCommand) {
        if let details = command.information?["ex"], details["code"]?.numberValue == 302,
            let target = details["redirect"]?.stringValue
        {
            self = .redirect(to: target)
        } else if let challenge = AuthenticationChallenge(command.words) {
            self = .authenticate(challenge)
        } else {
            return nil
        }
    }
}
