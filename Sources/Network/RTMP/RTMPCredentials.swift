/// A user name and a password for servers that require authentication. A description or a dump shows neither.
public struct RTMPCredentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The user name of the service or of the proxy. It is sent.
    package let user: String
    /// An RTMP server receives only a digest of it. A proxy receives the password itself, without encryption.
    package let password: String

    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    public var description: String { "(credentials)" }
    public var debugDescription: String { description }
    /// Omits the properties, so that a dump does not show them.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
