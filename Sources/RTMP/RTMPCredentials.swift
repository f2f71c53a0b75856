/// A user's name and password, for servers that ask for them before a stream may be published. Neither is shown anywhere.
public struct RTMPCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As the service gave it; part of what is sent to the server.
    let user: String
    /// Never sent: the server gets a digest of it.
    let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "(credentials)" }
    public var debugDescription: String { description }
    /// Without the properties, which a dump would show.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
