import CX11
import Media

/// Detects when another monitor shows the focused window: because another window has the focus, or because the window
/// moved.
///
/// It asks the server only after an event about one of these. Without a window manager no event reports the focus, so
/// it asks each time.
final class FocusFollower {
    private let connection: X11Connection
    private let properties: WindowProperties
    private var last: String?
    /// The active window and its ancestors below the root window. Each reports when it is moved or gets another parent.
    private var watched: Set<Window> = []
    /// True if the focus or the position of the window may have changed since the last call of `takeMove`.
    private var isStale = true

    init(connection: X11Connection) {
        self.connection = connection
        properties = WindowProperties(connection: connection)
    }

    /// Processes an event of the connection. The root window must report changes of its properties.
    func note(_ event: XEvent) {
        switch event.type {
        case PropertyNotify:
            if event.xproperty.window == connection.root, event.xproperty.atom == properties.activeWindowAtom {
                isStale = true
            }
        case ConfigureNotify: if watched.contains(event.xconfigure.window) { isStale = true }
        case GravityNotify: if watched.contains(event.xgravity.window) { isStale = true }
        case ReparentNotify: if watched.contains(event.xreparent.window) { isStale = true }
        case DestroyNotify:
            guard watched.remove(event.xdestroywindow.window) != nil else { break }
            connection.forget(event.xdestroywindow.window)
            isStale = true
        default: break
        }
    }

    /// Makes the next call of `takeMove` ask the server, because the monitors changed.
    func invalidate() {
        isStale = true
    }

    /// Returns the monitor that shows the focused window if it changed since the last call. Returns nil if it did not
    /// change or if no window has the focus.
    func takeMove(in layout: ScreenLayout) -> MonitorInformation? {
        guard isStale else { return nil }
        let active = properties.activeWindow()
        isStale = active == nil
        // The window is watched before its position is requested, so that no move is missed.
        if let active { watch(active) }
        guard let window = active ?? inputFocus(), let place = connection.place(of: window),
            let monitor = layout.monitor(showing: place),
            monitor.name != last
        else { return nil }
        last = monitor.name
        return monitor
    }

    /// Returns the active window of the window manager or, without a window manager, the window with the input focus.
    func focusedWindow() -> Window? {
        properties.activeWindow() ?? inputFocus()
    }

    private func inputFocus() -> Window? {
        var window = Window()
        var revert: Int32 = 0
        XGetInputFocus(connection.display, &window, &revert)
        return window > 1 && window != connection.root ? window : nil
    }

    private func watch(_ window: Window) {
        var found: Set<Window> = []
        var current = window
        while current != connection.root, current != 0, found.insert(current).inserted {
            connection.select(StructureNotifyMask, of: current, for: .focusedMonitor)
            current = connection.family(of: current)?.parent ?? 0
        }
        for former in watched.subtracting(found) { connection.select(0, of: former, for: .focusedMonitor) }
        watched = found
    }
}
