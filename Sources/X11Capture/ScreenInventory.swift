import CX11
import Capture
import Media

/// A window that can be captured.
package struct WindowInformation: Sendable, Equatable {
    /// Its X identifier.
    package var id: UInt
    /// Of its application (WM_CLASS); empty where it has none.
    package var className: String
    package var title: String
    /// Where its content is on the root window, in pixels.
    package var rectangle: PixelRect
}

/// What can be captured on an X display now.
package struct ScreenInventory: Sendable {
    /// The display, as the user would name it.
    package let display: String
    /// Of the whole screen.
    package let size: PixelSize
    package let monitors: [MonitorInformation]
    /// The oldest first, as the window manager lists them; without one from the bottom up.
    package let windows: [WindowInformation]

    /// Asks the display `name`, or the one that `DISPLAY` names where it is nil.
    package init(display name: String?) throws(CaptureError) {
        let connection = try X11Connection(name: name)
        let layout = try ScreenLayout(connection)
        let properties = WindowProperties(connection: connection)
        display = connection.name
        size = layout.size
        monitors = layout.monitors
        windows = WindowTree(connection: connection, properties: properties).listed().compactMap { window in
            connection.place(of: window).map {
                WindowInformation(
                    id: window, className: properties.className(of: window) ?? "", title: properties.title(of: window), rectangle: $0)
            }
        }
        try connection.checkConnection()
    }
}

extension ScreenRequest {
    /// The size of what is captured now, without capturing it.
    package func currentSize() throws(CaptureError) -> PixelSize {
        let connection = try X11Connection(name: display)
        if case .window(let window) = selection {
            guard let place = connection.place(of: window) else { throw .noSuchWindow(String(window), known: []) }
            return place.size
        }
        return switch try selection.target(on: connection).locate() {
        case .shown(let area): area.size
        case .withheld(let size, _): size
        case .ended: PixelSize(width: 0, height: 0)
        }
    }
}
