import CX11
import Media

/// Redirects a window, and sees to it that nothing of what lay over it is in its pixmap.
///
/// The server fills a new pixmap with what the screen shows there, so that windows without a background do not flicker: pixels of other
/// windows, until the client has painted them over. So those places are blackened before anyone else is served, and the client is asked to
/// paint them.
enum WindowRedirection {
    static func begin(_ window: Window, topLevel: Window, connection: X11Connection, tree: WindowTree) {
        let display = connection.display
        XGrabServer(display)
        defer {
            XUngrabServer(display)
            XSync(display, 0)
            _ = X11Faults.takeProtocolError(of: display)
        }
        let covered = isComposited(connection) ? [] : coveredParts(of: window, connection: connection, tree: tree)
        XCompositeRedirectWindow(display, window, CompositeRedirectAutomatic)
        guard !covered.isEmpty, let attributes = connection.attributes(of: window), let place = connection.place(of: window) else { return }
        blacken(covered.map { $0.offsetBy(x: -place.x, y: -place.y) }, of: window, border: Int(attributes.border_width), connection: connection)
        for inner in tree.descendants(of: window) { repaint(covered, of: inner, connection: connection) }
    }

    /// Under a compositor every window has its own pixels already, and none is covered.
    private static func isComposited(_ connection: X11Connection) -> Bool {
        let screen = XDefaultScreen(connection.display)
        return XGetSelectionOwner(connection.display, XInternAtom(connection.display, "_NET_WM_CM_S\(screen)", 0)) != 0
    }

    /// In coordinates of the root window.
    private static func coveredParts(of window: Window, connection: X11Connection, tree: WindowTree) -> [PixelRect] {
        guard let place = connection.place(of: window) else { return [] }
        return tree.windows(above: window).compactMap { other in
            guard let attributes = connection.attributes(of: other), attributes.map_state == IsViewable, attributes.class == InputOutput,
                let theirs = connection.place(of: other)
            else { return nil }
            let border = Int(attributes.border_width)
            let whole = PixelRect(
                x: theirs.x - border, y: theirs.y - border, width: theirs.width + 2 * border, height: theirs.height + 2 * border)
            return whole.intersects(place) ? whole.intersection(place) : nil
        }
    }

    private static func blacken(_ parts: [PixelRect], of window: Window, border: Int, connection: X11Connection) {
        let pixmap = XCompositeNameWindowPixmap(connection.display, window)
        // GCs are of one depth; a window that is not viewable has no pixmap.
        guard let context = XCreateGC(connection.display, pixmap, 0, nil) else { return }
        XSetForeground(connection.display, context, 0)
        for part in parts {
            XFillRectangle(
                connection.display, pixmap, context, Int32(part.x + border), Int32(part.y + border), UInt32(part.width), UInt32(part.height))
        }
        XFreeGC(connection.display, context)
        XFreePixmap(connection.display, pixmap)
    }

    /// Has the background painted there, where there is one, and asks the client for the rest.
    private static func repaint(_ parts: [PixelRect], of window: Window, connection: X11Connection) {
        guard let attributes = connection.attributes(of: window), attributes.class == InputOutput, let place = connection.place(of: window)
        else { return }
        for part in parts.map({ $0.intersection(place) }) where !part.isEmpty {
            XClearArea(
                connection.display, window, Int32(part.x - place.x), Int32(part.y - place.y), UInt32(part.width), UInt32(part.height), True)
        }
    }
}
