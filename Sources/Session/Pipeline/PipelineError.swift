import Capture
import Encode
import Media

/// Why a pipeline cannot start, or ended early. The front end makes the sentence.
package enum PipelineError: Error, Sendable, Equatable {
    case capture(CaptureError)
    case encode(EncodeError)
    /// The chosen size cannot be encoded.
    case unusableSize(PixelSize)
    /// The source has no two columns or no two rows of pixels, and 4:2:0 needs both.
    case unusableSource(PixelSize)
    /// The part of the chosen region on the screen is too small. `visible` is the size of that part.
    case unusableRegion(PixelRect, visible: PixelSize)
    /// The source is not open yet.
    case notOpen
    /// The source ended, or delivered no picture within this time.
    case nothingToPreview(within: Duration)
}
