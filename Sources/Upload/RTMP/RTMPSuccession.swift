import Media
import RTMP

/// How far the move from one connection to the next is.
enum RTMPSuccession {
    /// There is one connection, and nobody wants another.
    case none
    /// The next one is being opened beside the current one. The task ends by telling its actor.
    case opening(Task<Result<RTMPPublisher, RTMPError>, Never>)
    /// The next one stands and waits for a keyframe. Its metadata are of this stream.
    case ready(RTMPPublisher, StreamDescription)
    /// The next one takes what comes from `seam` on; sound from before it still goes to the old one.
    case trailing(old: RTMPPublisher, seam: MediaTime)
    /// The server does not take a second connection under the name: at the next keyframe the old one is to end first.
    case waitingToExchange
    /// What is from `seam` on waits for the next connection, while sound from before it still goes to the old one.
    case holding([EncodedPacket], seam: MediaTime)
}
