/// Whether trying something again can help.
public enum RetryAdvice: Equatable, Sendable {
    /// The far end will refuse again: a wrong key or password, a certificate that cannot be trusted, another protocol.
    case never
    /// The obstacle may pass: the network, a server that restarts.
    case later
    /// The stream name is in use, perhaps by the sender's own connection that was lost. It is free once the server has noticed.
    case busy
}
