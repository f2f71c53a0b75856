import CX11
import Media

/// Asks the compositor to draw one pixel again. Nothing changes on the screen.
final class CompositorProbe {
    /// The maximum number of windows that are considered.
    private static let maximumWindows = 32

    private let connection: X11Connection

    init(connection: X11Connection) {
        self.connection = connection
    }

    /// Reports that a pixel of a visible window changed, although it did not (Damage protocol, version 1.1, DamageAdd).
    /// The compositor reads that as it reads each change of a window, and draws the pixel again.
    ///
    /// - Parameter misses: the requests that were not answered. Each of them selects another window, from the topmost
    ///   one down: a window can be shaped, so that it has no pixel there.
    /// - Returns: the pixel on the root window. Nil if no window is visible.
    func redraw(afterMisses misses: Int) -> PixelRect? {
        guard let children = connection.family(of: connection.root)?.children, let screen = try? connection.rootSize()
        else { return nil }
        let candidates = children.reversed().prefix(Self.maximumWindows).lazy.compactMap { [connection] window in
            Self.pixel(of: window, on: screen, connection)
        }
        guard let chosen = candidates.dropFirst(misses).first ?? candidates.first else { return nil }
        var pixel = XRectangle(x: Int16(clamping: chosen.x), y: Int16(clamping: chosen.y), width: 1, height: 1)
        let region = XFixesCreateRegion(connection.display, &pixel, 1)
        XDamageAdd(connection.display, chosen.window, region)
        XFixesDestroyRegion(connection.display, region)
        XFlush(connection.display)
        return chosen.place
    }

    /// Returns a pixel of the window that is on the screen: in pixels of the window, and of the root window.
    private static func pixel(of window: Window, on screen: PixelSize, _ connection: X11Connection) -> (
        window: Window, x: Int, y: Int, place: PixelRect
    )? {
        guard let attributes = connection.attributes(of: window), attributes.map_state == IsViewable,
            attributes.class == InputOutput
        else { return nil }
        let content = PixelRect(
            x: Int(attributes.x + attributes.border_width), y: Int(attributes.y + attributes.border_width),
            width: Int(attributes.width), height: Int(attributes.height))
        let visible = content.intersection(PixelRect(screen))
        guard !visible.isEmpty else { return nil }
        let place = PixelRect(
            x: visible.x + visible.width / 2, y: visible.y + visible.height / 2, width: 1, height: 1)
        return (window, place.x - content.x, place.y - content.y, place)
    }
}
