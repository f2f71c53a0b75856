/// Where a publisher stands.
enum PublisherState: Sendable {
    /// Not connected.
    case idle
    case handshaking(Handshake)
    /// `connect` was sent.
    case connecting
    /// `createStream` was sent.
    case creatingStream
    /// `publish` was sent on this message stream.
    case requestingPublish(streamID: UInt32)
    /// Media goes out on this message stream.
    case publishing(streamID: UInt32)
    /// `deleteStream` was sent.
    case finishing
    /// Failed, or closed after the end.
    case ended

    /// What the user is told that the server was asked for.
    var step: RTMPStep {
        switch self {
        case .idle: .connecting
        case .handshaking: .handshake
        case .connecting: .connectReply
        case .creatingStream: .createStreamReply
        case .requestingPublish: .publishReply
        case .publishing: .sending
        case .finishing, .ended: .finishing
        }
    }
}
