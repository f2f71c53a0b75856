import CX11
import Media

/// Redirects a window, and ensures that its pixmap contains no pixels of other windows.
///
/// The server fills a new pixmap with the screen content at that position, so that windows without a background do not
/// flicker. Until the client has painted, the pixmap contains pixels of other windows or, if those are clipped, old
/// memory content. Therefore these areas are painted black before any pixels are read, and the client is asked to paint
/// them. If the windows above changed at the same time, the whole window is painted black.
struct WindowRedirection {
    private let window: Window
    private let connection: X11Connection
    private let tree: WindowTree

    /// Starts the redirection, which ends with the connection.
    init(of window: Window, connection: X11Connection, tree: WindowTree) {
        self.window = window
        self.connection = connection
        self.tree = tree
        let covered = coveredParts()
        XCompositeRedirectWindow(connection.display, window, CompositeRedirectAutomatic)
        clean(after: covered)
    }

    /// Cleans the new pixmap of the window after the window was mapped or resized.
    func cleanNewPixmap() {
        clean(after: coveredParts())
    }

    /// - Parameter before: the covered parts before the window got the new pixmap.
    private func clean(after before: [PixelRect]) {
        // The reply follows the redirection.
        let now = coveredParts()
        clean(now == before ? now : connection.place(of: window).map { [$0] } ?? [])
        XSync(connection.display, 0)
        // If the window was destroyed in the meantime, the next request for it detects that.
        connection.takeProtocolError()
    }

    private func clean(_ covered: [PixelRect]) {
        guard !covered.isEmpty, let attributes = connection.attributes(of: window), attributes.map_state == IsViewable,
            let place = connection.place(of: window)
        else { return }
        blacken(covered.map { $0.offsetBy(x: -place.x, y: -place.y) }, border: Int(attributes.border_width))
        for inner in tree.descendants(of: window) { repaint(covered, of: inner) }
    }

    /// True if a compositor runs. Every window then has its own pixels, and no window is covered.
    private var isComposited: Bool {
        let screen = XDefaultScreen(connection.display)
        return XGetSelectionOwner(connection.display, XInternAtom(connection.display, "_NET_WM_CM_S\(screen)", 0)) != 0
    }

    /// Returns the covered parts of the window in coordinates of the root window.
    private func coveredParts() -> [PixelRect] {
        guard !isComposited, let place = connection.place(of: window) else { return [] }
        return tree.windows(above: window).compactMap { other in
            guard let attributes = connection.attributes(of: other), attributes.map_state == IsViewable,
                attributes.class == InputOutput,
                let theirs = connection.place(of: other)
            else { return nil }
            let border = Int(attributes.border_width)
            let whole = PixelRect(
                x: theirs.x - border, y: theirs.y - border, width: theirs.width + 2 * border,
                height: theirs.height + 2 * border)
            return whole.intersects(place) ? whole.intersection(place) : nil
        }
    }

    private func blacken(_ parts: [PixelRect], border: Int) {
        let pixmap = XCompositeNameWindowPixmap(connection.display, window)
        guard let context = XCreateGC(connection.display, pixmap, 0, nil) else { return }
        XSetForeground(connection.display, context, 0)
        for part in parts {
            XFillRectangle(
                connection.display, pixmap, context, Int32(part.x + border), Int32(part.y + border), UInt32(part.width),
                UInt32(part.height))
        }
        XFreeGC(connection.display, context)
        XFreePixmap(connection.display, pixmap)
    }

    /// Paints the background of these parts, if the window has one, and asks the client to paint the rest.
    private func repaint(_ parts: [PixelRect], of window: Window) {
        guard let attributes = connection.attributes(of: window), attributes.class == InputOutput,
            let place = connection.place(of: window)
        else { return }
        for part in parts.map({ $0.intersection(place) }) where !part.isEmpty {
            XClearArea(
                connection.display, window, Int32(part.x - place.x), Int32(part.y - place.y), UInt32(part.width),
                UInt32(part.height), True)
        }
    }
}
