import CX11
import Media

/// Redirects a window, and sees to it that nothing of what lay over it is in its pixmap.
///
/// The server fills a new pixmap with what the screen shows there, so that windows without a background do not flicker: pixels of other
/// windows, or where those are clipped whatever its memory held, until the client has painted them over. So those places are blackened before anyone else is served, and the client is asked to
/// paint them.
struct WindowRedirection {
    private let window: Window
    private let connection: X11Connection
    private let tree: WindowTree

    /// Begins it; it ends with the connection.
    init(of window: Window, connection: X11Connection, tree: WindowTree) {
        self.window = window
        self.connection = connection
        self.tree = tree
        withServerGrabbed {
            let covered = coveredParts()
            XCompositeRedirectWindow(connection.display, window, CompositeRedirectAutomatic)
            clean(covered)
        }
    }

    /// Cleans the new pixmap that the window has got, as it was mapped or has changed its size.
    func cleanNewPixmap() {
        withServerGrabbed { clean(coveredParts()) }
    }

    private func withServerGrabbed(_ body: () -> Void) {
        XGrabServer(connection.display)
        body()
        XUngrabServer(connection.display)
        XSync(connection.display, 0)
        // A window that goes meanwhile is noticed by whoever asks for it next.
        _ = X11Faults.takeProtocolError(of: connection.display)
    }

    private func clean(_ covered: [PixelRect]) {
        guard !covered.isEmpty, let attributes = connection.attributes(of: window), attributes.map_state == IsViewable,
            let place = connection.place(of: window)
        else { return }
        blacken(covered.map { $0.offsetBy(x: -place.x, y: -place.y) }, border: Int(attributes.border_width))
        for inner in tree.descendants(of: window) { repaint(covered, of: inner) }
    }

    /// Under a compositor every window has its own pixels already, and none is covered.
    private var isComposited: Bool {
        let screen = XDefaultScreen(connection.display)
        return XGetSelectionOwner(connection.display, XInternAtom(connection.display, "_NET_WM_CM_S\(screen)", 0)) != 0
    }

    /// In coordinates of the root window.
    private func coveredParts() -> [PixelRect] {
        guard !isComposited, let place = connection.place(of: window) else { return [] }
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

    private func blacken(_ parts: [PixelRect], border: Int) {
        let pixmap = XCompositeNameWindowPixmap(connection.display, window)
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
    private func repaint(_ parts: [PixelRect], of window: Window) {
        guard let attributes = connection.attributes(of: window), attributes.class == InputOutput, let place = connection.place(of: window)
        else { return }
        for part in parts.map({ $0.intersection(place) }) where !part.isEmpty {
            XClearArea(
                connection.display, window, Int32(part.x - place.x), Int32(part.y - place.y), UInt32(part.width), UInt32(part.height), True)
        }
    }
}
