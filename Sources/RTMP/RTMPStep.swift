/// What a publisher is waiting for; each step has its own deadline.
public enum RTMPStep: Equatable, Sendable {
    /// The host's address, and a TCP connection to it.
    case connecting
    /// The TLS handshake, before anything of RTMP.
    case securing
    /// S0, S1 and S2.
    case handshake
    /// The answer to `connect`.
    case connectReply
    /// The answer to `createStream`.
    case createStreamReply
    /// The answer to `publish`.
    case publishReply
    /// Media is being sent.
    case sending
    /// Everything was sent, and the server has been told.
    case finishing

    /// As in “the server did not answer in time while …”.
    var phrase: String {
        switch self {
        case .connecting: "connecting"
        case .securing: "starting TLS"
        case .handshake: "shaking hands"
        case .connectReply: "joining the application"
        case .createStreamReply: "creating the stream"
        case .publishReply: "asking to publish"
        case .sending: "sending"
        case .finishing: "finishing"
        }
    }
}
