/// The states of `PublisherStateMachine`.
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
    /// Media is sent on this message stream.
    case publishing(streamID: UInt32)
    /// `deleteStream` was sent.
    case finishing
    /// The connection failed, or the server closed it after the stream ended.
    case ended

    /// The step that an error message names for this state.
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
