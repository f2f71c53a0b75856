import Media
import WindowPrivacy

/// The part of an X display to capture, and the options.
package struct ScreenRequest: Sendable {
    /// The X display, or nil for the display in `DISPLAY`.
    package var display: String?
    package var selection = ScreenSelection.wholeScreen
    /// How long viewers get the slate after a window that was selected by a rule was closed, until a window matches the
    /// rule again. With zero, the source ends with the window.
    package var windowTimeout = MediaTime.zero
    package var showsCursor = true
    /// If true, other programs on the display can detect that it is captured.
    package var isAnnounced = true
    /// If true, the idle screen saver, and a lock that it would start, is inhibited during the capture.
    package var keepsAwake = false

    package init(display: String? = nil) {
        self.display = display
    }
}

/// The part of the desktop to capture.
package enum ScreenSelection: Sendable, Equatable {
    /// The whole X screen, with all monitors side by side.
    case wholeScreen
    /// One monitor, by its RandR name.
    case monitor(String)
    /// The monitor that shows the focused window, as the focus changes. At first it is the monitor with the given name.
    case focusedMonitor(startingAt: String?)
    /// A rectangle of the X screen, in pixels. Parts outside the screen are cut off.
    case region(PixelRect)
    /// The content of one window, by its X identifier.
    case window(UInt)
    /// The content of the only window that matches the rule when the source is opened.
    case matchingWindow(HiddenWindowRule)
    /// The window that is active when the source is opened.
    case activeWindow
}
