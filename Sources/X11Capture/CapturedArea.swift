import CX11
import Capture
import Media

/// Where the pixels of the picture are at one moment: of which drawable they are read, and what place of the root window they show.
///
/// Coordinates of the picture count from its own top left. `place` is the one link between them and the root window's.
struct CapturedArea: Equatable {
    /// What the pixels are read from.
    enum Pixels: Equatable {
        /// The root window: what is on the screen there, whichever window it belongs to.
        case root
        /// A redirected window's own pixmap: what the window would show if nothing lay over it. Its border is part of the pixmap.
        ///
        /// - Parameters:
        ///   - border: its width in pixels.
        ///   - topLevel: the window's ancestor right below the root window.
        case window(Window, border: Int, topLevel: Window)
    }

    var pixels: Pixels
    /// What the picture shows, in coordinates of the root window.
    var place: PixelRect
    /// Parts of the picture that no monitor shows; they are black.
    var deadParts: [PixelRect] = []

    var size: PixelSize { place.size }

    /// True where the picture is one window's own, whatever lies over it.
    var isOfWindow: Bool {
        if case .window = pixels { true } else { false }
    }

    /// True where every pixel may be another one than in `other`: the picture moved over the screen, or has another size.
    func isAnotherPicture(than other: CapturedArea) -> Bool {
        switch (pixels, other.pixels) {
        case (.window, .window): pixels != other.pixels || size != other.size
        default: self != other
        }
    }

    /// Where the damage that the server tells of the damaged drawable has its origin, in the picture.
    var damageOffset: (x: Int, y: Int) {
        switch pixels {
        case .root: (-place.x, -place.y)
        case .window: (0, 0)
        }
    }

    /// Reads through a drawable that lives as long as `body`; (`x`, `y`) is where the picture's top left is in it.
    ///
    /// A window gets a new pixmap whenever it is resized or mapped. Naming it for each grab costs no exchange, and is never out of date
    /// (Composite protocol, version 0.4, NameWindowPixmap).
    func withDrawable<Result>(
        of connection: X11Connection, _ body: (_ drawable: Drawable, _ x: Int, _ y: Int) throws(CaptureError) -> Result
    ) throws(CaptureError) -> Result {
        switch pixels {
        case .root:
            return try body(connection.root, place.x, place.y)
        case .window(let window, let border, _):
            let pixmap = XCompositeNameWindowPixmap(connection.display, window)
            defer { if !X11Faults.isBroken(connection.display) { XFreePixmap(connection.display, pixmap) } }
            return try body(pixmap, border, border)
        }
    }
}
