import CX11
import Capture
import Media
import WindowPrivacy

/// The source that the user selected, and its current position. The target follows the source when it moves.
protocol CaptureTarget: AnyObject {
    /// The captured source, for the user and for scripts.
    var description: SourceDescription { get }

    /// A notice about the selection for the user at the start; nil for no notice.
    var notice: SourceNotice? { get }

    /// The drawable whose damage changes the picture.
    var damagedDrawable: Drawable { get }

    /// The format of the drawable's pixels.
    var pixelLayout: PixelLayout { get }

    /// True if an event since `locate` invalidates its result and any picture taken with it.
    var isStale: Bool { get }

    /// Processes an event that can move the source.
    func note(_ event: XEvent)

    /// Discards the known position, because the server refused a grab there.
    func invalidate()

    /// Returns the current position.
    func locate() throws(CaptureError) -> Placement
}

extension CaptureTarget {
    var notice: SourceNotice? { nil }
}

/// The position of a capture target at one time.
enum Placement {
    case shown(CapturedArea)
    /// The source is currently not visible.
    ///
    /// - Parameters:
    ///   - size: the size of the picture when the source is visible again, if it is known.
    ///   - reason: the notice for the user.
    case withheld(size: PixelSize, reason: SourceNotice)
    /// The source does not exist any more, and cannot be visible again.
    ///
    /// - Parameter reason: the notice for the user.
    case ended(reason: SourceNotice)
}

extension ScreenSelection {
    /// Finds the selected source on the display.
    func target(on connection: X11Connection) throws(CaptureError) -> any CaptureTarget {
        switch self {
        case .wholeScreen: try RootTarget(connection: connection, selection: .wholeScreen)
        case .region(let region): try RootTarget(connection: connection, selection: .region(region))
        case .monitor(let name): try RootTarget(connection: connection, selection: .monitor(name))
        case .focusedMonitor(let name):
            try RootTarget(connection: connection, selection: .focusedMonitor(startingAt: name))
        case .window(let window): try WindowTarget(connection: connection, window: window)
        case .matchingWindow(let rule):
            try WindowTarget(connection: connection, window: try connection.window(matching: rule))
        case .activeWindow:
            if let window = FocusFollower(connection: connection).focusedWindow() {
                try WindowTarget(connection: connection, window: window)
            } else {
                throw .noActiveWindow
            }
        }
    }
}
