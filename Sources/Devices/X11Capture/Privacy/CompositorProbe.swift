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
    /// - Returns: the pixel on the root window. Nil if no window is visible that the compositor draws.
    func redraw(afterMisses misses: Int) -> PixelRect? {
        let candidates = self.candidates()
        guard !candidates.isEmpty else { return nil }
        let chosen = candidates[misses % candidates.count]
        var pixel = XRectangle(
            x: Int16(clamping: chosen.pixel.x - chosen.content.x),
            y: Int16(clamping: chosen.pixel.y - chosen.content.y),
            width: 1, height: 1)
        let region = XFixesCreateRegion(connection.display, &pixel, 1)
        XDamageAdd(connection.display, chosen.window, region)
        XFixesDestroyRegion(connection.display, region)
        XFlush(connection.display)
        return chosen.pixel
    }

    private struct Candidate {
        var window: Window
        /// The window without its border, and one of its pixels, on the root window.
        var content: PixelRect
        var pixel: PixelRect
    }

    /// The windows that the compositor draws, the topmost one first, as far as their pixel can be seen.
    ///
    /// The server itself draws a window that is not redirected, such as one that fills the screen: it would answer in
    /// the place of the compositor.
    private func candidates() -> [Candidate] {
        guard let children = connection.family(of: connection.root)?.children, let screen = try? connection.rootSize()
        else { return [] }
        var found: [Candidate] = []
        var direct: [PixelRect] = []
        for window in children.reversed().prefix(Self.maximumWindows) {
            guard let content = content(of: window) else { continue }
            let visible = content.intersection(PixelRect(screen))
            guard !visible.isEmpty else { continue }
            guard isRedirected(window) else {
                direct.append(content)
                continue
            }
            let pixel = PixelRect(
                x: visible.x + visible.width / 2, y: visible.y + visible.height / 2, width: 1, height: 1)
            if !direct.contains(where: { $0.intersects(pixel) }) {
                found.append(Candidate(window: window, content: content, pixel: pixel))
            }
        }
        return found
    }

    /// Returns the area of a mapped window without its border, on the root window. Nil if it has no pixels.
    private func content(of window: Window) -> PixelRect? {
        guard let attributes = connection.attributes(of: window), attributes.map_state == IsViewable,
            attributes.class == InputOutput
        else { return nil }
        return PixelRect(
            x: Int(attributes.x + attributes.border_width), y: Int(attributes.y + attributes.border_width),
            width: Int(attributes.width), height: Int(attributes.height))
    }

    /// Returns true if the window has pixels of its own, which a compositor draws (Composite protocol, version 0.2:
    /// NameWindowPixmap is an error otherwise).
    private func isRedirected(_ window: Window) -> Bool {
        let first = XNextRequest(connection.display)
        let pixmap = XCompositeNameWindowPixmap(connection.display, window)
        XSync(connection.display, 0)
        guard connection.takeProtocolError(since: first) == nil else { return false }
        XFreePixmap(connection.display, pixmap)
        return true
    }
}
