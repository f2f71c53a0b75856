import CX11
import Capture
import Media

/// A window that can be captured.
package struct WindowInformation: Sendable, Equatable {
    /// The X identifier.
    package var id: UInt
    /// The class of its application (WM_CLASS), or an empty string.
    package var className: String
    package var title: String
    /// The area of its content on the root window, in pixels.
    package var rectangle: PixelRect
}

/// The sources that an X display currently offers.
package struct ScreenInventory: Sendable {
    /// The name of the display as the user writes it.
    package let display: String
    /// The size of the whole screen.
    package let size: PixelSize
    package let monitors: [MonitorInformation]
    /// The oldest first, in the order of the window manager. Without a window manager, from bottom to top.
    package let windows: [WindowInformation]

    /// Reads the display `name`. If `name` is nil, reads the display in `DISPLAY`.
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
                    id: window, className: properties.className(of: window) ?? "", title: properties.title(of: window),
                    rectangle: $0)
            }
        }
        try connection.checkConnection()
    }

    /// Returns the name and size of a display without the list of its sources.
    package static func describe(display name: String?) throws(CaptureError) -> (name: String, size: PixelSize) {
        let connection = try X11Connection(name: name)
        return (connection.name, try connection.rootSize())
    }
}

extension ScreenRequest {
    /// Returns the current size of the selected source without capturing it.
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
