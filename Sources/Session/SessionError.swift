import Capture
import Encode
import Media

/// Why a session could not start, or ended early.
package enum SessionError: Error, Sendable, Equatable, CustomStringConvertible {
    case capture(CaptureError)
    case encode(EncodeError)
    /// The size that was asked for cannot be made.
    case unusableSize(String)
    /// Of the region that was asked for, this is what lies on the screen.
    case unusableRegion(PixelRect, visible: PixelSize)
    /// What was asked of a running session does not fit what it is doing.
    case conflict(String)
    /// The destination of this name is the last one: it only goes with the session.
    case onlyDestination(String)

    package var description: String {
        switch self {
        case .capture(let error): error.description
        case .encode(let error): error.description
        case .conflict(let sentence): sentence
        case .onlyDestination(let name): "\(name) is the only destination. Run: broadcast stop"
        case .unusableRegion(let region, let visible):
            "The region \(region.size)\(Self.offset(region.x))\(Self.offset(region.y)) has \(visible) pixels on the screen, which cannot be broadcast. "
                + "Choose a --region with 16x16 to 16384x16384 pixels there, or give a --size."
        case .unusableSize(let size): "A picture of \(size) cannot be broadcast. Choose a --size between 16x16 and 16384x16384."
        }
    }

    /// As it is written behind a size: `+7` or `-7`.
    private static func offset(_ value: Int) -> String { value < 0 ? "\(value)" : "+\(value)" }
}
