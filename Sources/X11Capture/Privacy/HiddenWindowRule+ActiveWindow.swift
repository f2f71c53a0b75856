import Capture
import WindowPrivacy

extension HiddenWindowRule {
    /// The window that is in front on a display now; nil for the display that `DISPLAY` names.
    package static func activeWindow(display: String?) throws(CaptureError) -> HiddenWindowRule {
        let connection = try X11Connection(name: display)
        guard let window = FocusFollower(connection: connection).focusedWindow() else { throw .noActiveWindow }
        return .window(window)
    }
}
