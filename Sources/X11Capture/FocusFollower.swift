import CX11
import Media

/// Tells when the focused window is shown by another monitor than before: another window has the focus, or it was moved.
final class FocusFollower {
    private let connection: X11Connection
    private let properties: WindowProperties
    private var last: String?

    init(connection: X11Connection) {
        self.connection = connection
        properties = WindowProperties(connection: connection)
    }

    /// The monitor that shows the focused window now, where it is another one than at the last call. Without a focus nothing moves.
    func takeMove(in layout: ScreenLayout) -> MonitorInformation? {
        guard let window = focusedWindow(), let place = connection.place(of: window), let monitor = layout.monitor(showing: place),
            monitor.name != last
        else { return nil }
        last = monitor.name
        return monitor
    }

    /// The window manager's word for it, or where there is none the server's.
    func focusedWindow() -> Window? {
        if let window = properties.activeWindow() { return window }
        var window = Window()
        var revert: Int32 = 0
        XGetInputFocus(connection.display, &window, &revert)
        return window > 1 && window != connection.root ? window : nil
    }
}
