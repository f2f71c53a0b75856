import Media

/// Which pictures a session asks for. A value: it is opened on the thread that will own the source.
package enum PictureRequest: Sendable {
    case screen(ScreenRequest)
    /// A YUV4MPEG2 file or pipe; `-` is standard input.
    case y4m(path: String)
    /// What the application that runs the session hands over.
    case feed(PictureFeed)
}

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

extension PictureRequest {
    /// Opens the source on the calling thread.
    package func open() throws(CaptureError) -> any ScreenSource {
        switch self {
        case .screen(let request): try X11ScreenSource(request)
        case .y4m(let path): try Y4MSource(path: path)
        case .feed(let feed): FeedSource(feed)
        }
    }
}
