import CX11
import Capture
import Media

/// Monitors which application's window is active, as reported by the window manager (EWMH 1.5, `_NET_ACTIVE_WINDOW`,
/// `_NET_WM_NAME`; ICCCM, 4.1.2.5, `WM_CLASS`).
final class FocusWatcher {
    private let connection: X11Connection
    private let properties: WindowProperties
    private var window = Window()
    private var last: ApplicationInformation?
    private var isStale = true
    /// When to check again a window that could not be revealed to viewers, or nil if no window waits for it.
    private var nextLook: MediaTime?
    private static let lookInterval = MediaTime(milliseconds: 1000)
    /// The minimum time between two changes that are reported. Some programs change their title many times a second.
    private static let reportInterval = MediaTime(milliseconds: 1000)
    /// The time of the last reported change; nil before the first change.
    private var lastReport: MediaTime?

    init(connection: X11Connection) {
        self.connection = connection
        properties = WindowProperties(connection: connection)
    }

    /// Processes a PropertyNotify event of the root window or of the active window.
    func note(_ event: XPropertyEvent) {
        if event.atom == properties.activeWindowAtom && event.window == connection.root { isStale = true }
        if event.window == window && (event.atom == properties.nameAtom || event.atom == XA_WM_NAME) { isStale = true }
    }

    /// Returns the active application if it or its title changed since the last call, otherwise nil. It is not an error
    /// if the window no longer exists. Reports at most one change per second, and then the newest state.
    ///
    /// - Parameter mayBeTold: returns true if viewers may know the window. Called after all other information is read.
    func takeChange(at now: MediaTime, mayBeTold: (Window) -> Bool) -> ApplicationInformation? {
        if let lastReport, now - lastReport < Self.reportInterval { return nil }
        guard isStale || nextLook.map({ $0 <= now }) ?? false else { return nil }
        isStale = false
        nextLook = nil
        let front = properties.activeWindow() ?? 0
        if front != window {
            connection.select(0, of: window, for: .focus)
            window = front
            connection.select(PropertyChangeMask, of: window, for: .focus)
        }
        let information = window == 0 ? nil : describe(window)
        // Requests for a window that no longer exists cause errors. Ignore them.
        XSync(connection.display, 0)
        connection.takeProtocolError()
        guard let information, information != last else { return nil }
        guard mayBeTold(window) else {
            nextLook = now + Self.lookInterval
            return nil
        }
        last = information
        lastReport = now
        return information
    }

    private func describe(_ window: Window) -> ApplicationInformation? {
        properties.className(of: window).map { ApplicationInformation(id: $0, title: properties.title(of: window)) }
    }
}
