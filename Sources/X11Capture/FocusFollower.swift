import CX11
import Media
import X11Client

/// Detects when another monitor shows the focused window: because another window has the focus, or because the window
/// moved.
final class FocusFollower {
    private let connection: X11Connection
    private let properties: WindowProperties
    private var last: String?

    init(connection: X11Connection) {
        self.connection = connection
        properties = WindowProperties(connection: connection)
    }

    /// Returns the monitor that shows the focused window if it changed since the last call. Returns nil if it did not
    /// change or if no window has the focus.
    func takeMove(in layout: ScreenLayout) -> MonitorInformation? {
        guard let window = focusedWindow(), let place = connection.place(of: window), let monitor = layout.monitor(showing: place),
            monitor.name != last
        else { return nil }
        last = monitor.name
        return monitor
    }

    /// Returns the active window of the window manager or, without a window manager, the window with the input focus.
    func focusedWindow() -> Window? {
        if let window = properties.activeWindow() { return window }
        var window = Window()
        var revert: Int32 = 0
        XGetInputFocus(connection.display, &window, &revert)
        return window > 1 && window != connection.root ? window : nil
    }
}
