import Media
import WindowPrivacy

/// What of an X display is captured, and how.
package struct ScreenRequest: Sendable {
    /// The X display; nil for the one that `DISPLAY` names.
    package var display: String?
    package var selection = ScreenSelection.wholeScreen
    package var showsCursor = true
    /// The windows that viewers must not see. The rules may be changed while the source runs.
    package var hiddenWindows = HiddenWindowRules()
    /// Other programs on the display are told that it is captured.
    package var isAnnounced = true
    /// No idle screen saver comes while it is captured, nor the lock that comes with one.
    package var keepsAwake = false

    package init(display: String? = nil) {
        self.display = display
    }
}

/// What of the desktop is captured.
package enum ScreenSelection: Sendable, Equatable {
    /// The whole of the X screen, all monitors side by side.
    case wholeScreen
    /// One monitor, by its RandR name.
    case monitor(String)
    /// The monitor that shows the focused window, whichever that is; at first the named one.
    case focusedMonitor(startingAt: String?)
    /// A rectangle of the X screen, in pixels; what lies beyond its edges is cut off.
    case region(PixelRect)
    /// The content of one window, by its X identifier.
    case window(UInt)
    /// The window that is in front when the source is opened.
    case activeWindow
}
