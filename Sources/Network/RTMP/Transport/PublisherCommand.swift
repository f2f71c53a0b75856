import Media
import NIOCore

/// What a publisher writes to its channel. Commands are executed in the order in which they are written, those before
/// `finish` while the channel is writable.
enum PublisherCommand: Sendable {
    /// Sends a packet that entered the send window.
    case packet(EncodedPacket)
    /// Sends the metadata of a stream and, if a codec configuration changed, the sequence headers.
    case metadata(StreamDescription)
    /// Sends nothing: its promise is completed when the channel accepts more packets.
    case space
    /// Sends everything before it, writable or not, and the end of the stream. The connection fails if the server does
    /// not close it before `deadline`.
    case finish(deadline: ContinuousClock.Instant)
}

/// The first result of a connection: the server accepted the stream, or told the client how to continue.
enum PublisherOpening: Sendable {
    case live(any Channel)
    case rejected(ConnectRejection)
}
