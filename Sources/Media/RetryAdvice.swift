/// Whether trying something again can help.
public enum RetryAdvice: Equatable, Sendable {
    /// Another try cannot help: a wrong password, or a setting that cannot work.
    case never
    /// The far end refused. Another try can help only if it accepted the stream before: a server that restarts or is
    /// overloaded also refuses. If it never accepted the stream, the key or the address is wrong.
    case laterOnceLive
    /// The obstacle may pass: the network, a server that restarts.
    case later
    /// The stream name is in use, perhaps by the sender's own connection that was lost. It is free once the server has noticed.
    case busy
}
