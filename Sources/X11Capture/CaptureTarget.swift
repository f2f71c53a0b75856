import CX11
import Capture
import Media

/// What the user wants to be captured, followed as it moves: it knows at each moment which place that is.
protocol CaptureTarget: AnyObject {
    /// What is captured now, for people and scripts.
    var description: SourceDescription { get }

    /// What the user should know about the selection, at the start.
    var notice: SourceNotice? { get }

    /// The drawable whose damage changes the picture.
    var damagedDrawable: Drawable { get }

    /// How the pixels lie there.
    var pixelLayout: PixelLayout { get }

    /// Something has happened since `locate` that makes its answer, and a picture that was taken by it, wrong.
    var isStale: Bool { get }

    /// Takes note of an event that may move it.
    func note(_ event: XEvent)

    /// What is known of its place may be wrong: the server refused a grab there.
    func invalidate()

    /// Where it is now.
    func locate() throws(CaptureError) -> Placement
}

extension CaptureTarget {
    var notice: SourceNotice? { nil }
}

/// Where a capture target is at one moment.
enum Placement {
    case shown(CapturedArea)
    /// It is nowhere to be seen for now.
    ///
    /// - Parameters:
    ///   - size: the picture's where it is seen again, as far as that is known.
    ///   - reason: what the user is told.
    case withheld(size: PixelSize, reason: SourceNotice)
    case ended
}

extension ScreenSelection {
    /// Finds what is selected on the display.
    func target(on connection: X11Connection) throws(CaptureError) -> any CaptureTarget {
        switch self {
        case .wholeScreen: try RootTarget(connection: connection, selection: .wholeScreen)
        case .region(let region): try RootTarget(connection: connection, selection: .region(region))
        case .monitor(let name): try RootTarget(connection: connection, selection: .monitor(name))
        case .focusedMonitor(let name): try RootTarget(connection: connection, selection: .focusedMonitor(startingAt: name))
        case .window(let window): try WindowTarget(connection: connection, window: window)
        case .activeWindow:
            if let window = FocusFollower(connection: connection).focusedWindow() {
                try WindowTarget(connection: connection, window: window)
            } else {
                throw .noActiveWindow
            }
        }
    }
}
