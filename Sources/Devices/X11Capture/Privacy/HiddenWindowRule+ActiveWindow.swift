import Capture
import WindowPrivacy

extension HiddenWindowRule {
    /// Returns a rule for the window that is currently active. If `display` is nil, uses the display in `DISPLAY`.
    /// Throws `noActiveWindow` if there is none.
    package static func activeWindow(display: String?) throws(CaptureError) -> HiddenWindowRule {
        let connection = try X11Connection(name: display)
        guard let window = FocusFollower(connection: connection).focusedWindow() else { throw .noActiveWindow }
        return .window(window)
    }
}
