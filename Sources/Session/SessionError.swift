import Capture
import Encode
import Media

/// Why a session could not start, ended early, or refused a request. A front end makes the sentence.
package enum SessionError: Error, Sendable, Equatable {
    case capture(CaptureError)
    case encode(EncodeError)
    /// The size that was asked for cannot be encoded.
    case unusableSize(PixelSize)
    /// Of the region that was asked for, this much is on the screen.
    case unusableRegion(PixelRect, visible: PixelSize)
    /// The session is ending, so it takes no more destinations.
    case ending
    /// The session has not begun yet. Try again later.
    case notBegun
    /// The file is written by this session already.
    case pathInUse(String)
    /// The session has a destination of that name already.
    case nameInUse(String)
    /// The destination of that name is the last one. It only ends with the session.
    case onlyDestination(String)
    /// The source ended, or showed nothing for this long.
    case nothingToPreview(within: Duration)
}
