import Capture
import Encode
import Media

/// Why a session cannot start, ended early, or rejects a request. The front end makes the sentence.
package enum SessionError: Error, Sendable, Equatable {
    case capture(CaptureError)
    case encode(EncodeError)
    /// The chosen size cannot be encoded.
    case unusableSize(PixelSize)
    /// The source has no two columns or no two rows of pixels, and 4:2:0 needs both.
    case unusableSource(PixelSize)
    /// The part of the chosen region on the screen is too small. `visible` is the size of that part.
    case unusableRegion(PixelRect, visible: PixelSize)
    /// The session is ending and accepts no more destinations.
    case ending
    /// The session has not begun yet. A later request can succeed.
    case notBegun
    /// A destination of this session already writes the file.
    case pathInUse(String)
    /// The session already has a destination of this name.
    case nameInUse(String)
    /// A destination of this session, by its name, already sends to the same address.
    case addressInUse(by: String)
    /// The destination is the last one, which ends only with the session.
    case onlyDestination(String)
    /// The source ended, or delivered no picture within this time.
    case nothingToPreview(within: Duration)
}
