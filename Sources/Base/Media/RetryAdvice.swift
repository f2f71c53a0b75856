/// Whether another try can succeed.
public enum RetryAdvice: Equatable, Sendable {
    /// Another try cannot help: a wrong password, or a setting that cannot work.
    case never
    /// The far end refused. Another try can help only if it accepted the stream before: a server that restarts or is
    /// overloaded also refuses. If it never accepted the stream, the key or the address is wrong.
    case laterOnceLive
    /// Another try can succeed later, for example when the network works again or a server has restarted.
    case later
    /// The stream name is in use, possibly by an own connection that was lost. It is free when the server detects the
    /// loss.
    case busy
}
