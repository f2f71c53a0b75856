/// A step of a publisher. Each step has its own deadline.
public enum RTMPStep: Equatable, Sendable {
    /// Resolving the host name and opening a TCP connection.
    case connecting
    /// The TLS handshake, before any RTMP bytes.
    case securing
    /// S0, S1 and S2.
    case handshake
    /// Waiting for the answer to `connect`.
    case connectReply
    /// Waiting for the answer to `createStream`.
    case createStreamReply
    /// Waiting for the answer to `publish`.
    case publishReply
    /// Media is being sent.
    case sending
    /// Everything was sent, including the end of the stream.
    case finishing

    /// The text after “the server did not answer in time while …”.
    var phrase: String {
        switch self {
        case .connecting: "connecting"
        case .securing: "starting TLS"
        case .handshake: "performing the RTMP handshake"
        case .connectReply: "joining the application"
        case .createStreamReply: "creating the stream"
        case .publishReply: "asking to publish"
        case .sending: "sending"
        case .finishing: "finishing"
        }
    }
}
