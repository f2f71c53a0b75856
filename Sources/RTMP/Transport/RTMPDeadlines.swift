/// How long a publisher waits for the server in each step.
public struct RTMPDeadlines: Sendable, Equatable {
    /// Finding the host's address and connecting to it.
    public var connect: Duration = .seconds(10)
    /// The TLS handshake.
    public var securing: Duration = .seconds(10)
    /// RTMP's own handshake.
    public var handshake: Duration = .seconds(10)
    /// Each answer to a command.
    public var reply: Duration = .seconds(10)
    /// How long the server may take no byte while there are some to send.
    public var sendProgress: Duration = .seconds(10)

    public init() {}

    /// The deadline of a step that ends with what the server says; nil for those that are measured otherwise.
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
