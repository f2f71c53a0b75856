/// The maximum time that a publisher waits for the server in each step.
public struct RTMPDeadlines: Sendable, Equatable {
    /// Resolving the host name and opening a TCP connection.
    public var connect: Duration = .seconds(10)
    /// The TLS handshake.
    public var securing: Duration = .seconds(10)
    /// The RTMP handshake.
    public var handshake: Duration = .seconds(10)
    /// The answer to each command.
    public var reply: Duration = .seconds(10)
    /// The maximum time in which the server accepts no byte while bytes wait to be sent.
    public var sendProgress: Duration = .seconds(10)
    /// The maximum wait for the server to close the connection after the end of the stream was sent.
    public var closing: Duration = .milliseconds(700)

    public init() {}

    /// The deadline of a step that a message from the server completes. Nil for `sending` and `finishing`, which use
    /// other limits.
    func duration(of step: RTMPStep) -> Duration? {
        switch step {
        case .connecting: connect
        case .securing: securing
        case .handshake: handshake
        case .connectReply, .createStreamReply, .publishReply: reply
        case .sending, .finishing: nil
        }
    }
}
