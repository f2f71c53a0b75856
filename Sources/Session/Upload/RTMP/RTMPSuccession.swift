import Media
import RTMP

/// The state of the move from one connection to the next.
enum RTMPSuccession {
    /// There is one connection, and the server has not asked for another.
    case none
    /// The next connection is being opened while the current one continues. The task notifies its actor at the end.
    case opening(Task<Result<RTMPPublisher, RTMPError>, Never>)
    /// The next connection is open and waits for a keyframe. It was opened with the metadata of this stream.
    case ready(RTMPPublisher, StreamDescription)
    /// Packets from `seam` on go over the next connection; sound from before it still goes over the old one.
    case trailing(old: RTMPPublisher, seam: MediaTime)
    /// The server rejects a second connection under the name. The old connection must end first, at the next keyframe.
    case waitingToExchange
    /// Packets from `seam` on wait for the next connection, while sound from before it still goes over the old one.
    case holding([EncodedPacket], seam: MediaTime)
}
