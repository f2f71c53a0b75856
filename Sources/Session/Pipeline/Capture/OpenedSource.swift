import Capture
import Media

/// The properties of the opened source.
package struct OpenedSource: Sendable {
    package var source: SourceDescription
    package var sourceSize: PixelSize
    /// The source's own frame rate in frames a second; nil if it has none.
    package var frameRate: Int?
    /// The time that the source needs after a pause.
    package var resumeDelay: MediaTime
}
