import CX11
import Capture
import Media

/// Follows which application's window is in front, as the window manager tells it (EWMH 1.5, `_NET_ACTIVE_WINDOW`,
/// `_NET_WM_NAME`; ICCCM, 4.1.2.5, `WM_CLASS`).
final class FocusWatcher {
    private let connection: X11Connection
    private let properties: WindowProperties
    private var window = Window()
    private var last: ApplicationInformation?
    private var isStale = true
    /// When a window is looked at again that viewers could not be told of; nil where there is none.
    private var nextLook: MediaTime?
    private static let lookInterval = MediaTime(milliseconds: 1000)

    init(connection: X11Connection) {
        self.connection = connection
        properties = WindowProperties(connection: connection)
    }

    /// Takes note of a PropertyNotify of the root window or of the window in front.
    func note(_ event: XPropertyEvent) {
        if event.atom == properties.activeWindowAtom && event.window == connection.root { isStale = true }
        if event.window == window && (event.atom == properties.nameAtom || event.atom == XA_WM_NAME) { isStale = true }
    }

    /// The application in front where it is another one than before, or has another title. A window that has gone since is no error.
    ///
    /// - Parameter mayBeTold: whether viewers may know of a window; asked after all else is known of it.
    func takeChange(at now: MediaTime, mayBeTold: (Window) -> Bool) -> ApplicationInformation? {
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
        // Requests to a window that has gone are answered with an error that means nothing here.
        XSync(connection.display, 0)
        _ = X11Faults.takeProtocolError(of: connection.display)
        guard let information, information != last else { return nil }
        guard mayBeTold(window) else {
            nextLook = now + Self.lookInterval
            return nil
        }
        last = information
        return information
    }

    private func describe(_ window: Window) -> ApplicationInformation? {
        properties.className(of: window).map { ApplicationInformation(id: $0, title: properties.title(of: window)) }
    }
}
