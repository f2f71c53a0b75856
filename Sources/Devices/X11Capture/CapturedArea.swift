import CX11
import Capture
import Media

/// The position of the picture's pixels at one time: the drawable to read them from, and the part of the root window
/// that they show.
///
/// The origin of picture coordinates is the picture's top left corner. `place` relates them to root window coordinates.
struct CapturedArea: Equatable {
    /// The drawable to read the pixels from.
    enum Pixels: Equatable {
        /// The root window: the visible screen, independent of which window is there.
        case root
        /// The pixmap of a redirected window: its content without overlapping windows. The pixmap includes the window's
        /// border.
        ///
        /// - Parameters:
        ///   - border: the width of the border in pixels.
        ///   - topLevel: the ancestor of the window that is a child of the root window.
        case window(Window, border: Int, topLevel: Window)
    }

    var pixels: Pixels
    /// The area that the picture shows, in coordinates of the root window.
    var place: PixelRect
    /// The parts of the picture that no monitor shows. They are black.
    var deadParts: [PixelRect] = []

    var size: PixelSize { place.size }

    /// True if the picture shows the content of one window, without overlapping windows.
    var isOfWindow: Bool {
        if case .window = pixels { true } else { false }
    }

    /// Returns true if all pixels can differ from those of `other`: the picture moved on the screen, or its size
    /// changed.
    func isAnotherPicture(than other: CapturedArea) -> Bool {
        switch (pixels, other.pixels) {
        case (.window, .window): pixels != other.pixels || size != other.size
        default: self != other
        }
    }

    /// The position in the picture of the origin of the server's damage coordinates.
    var damageOffset: (x: Int, y: Int) {
        switch pixels {
        case .root: (-place.x, -place.y)
        case .window: (0, 0)
        }
    }

    /// Calls `body` with a drawable that is valid during the call. (`x`, `y`) is the position of the picture's top left
    /// corner in it.
    ///
    /// A window gets a new pixmap when it is resized or mapped. Naming the pixmap for each grab needs no round trip and
    /// is never outdated (Composite protocol, version 0.4, NameWindowPixmap).
    func withDrawable<Result>(
        of connection: X11Connection, _ body: (_ drawable: Drawable, _ x: Int, _ y: Int) throws(CaptureError) -> Result
    ) throws(CaptureError) -> Result {
        switch pixels {
        case .root:
            return try body(connection.root, place.x, place.y)
        case .window(let window, let border, _):
            let pixmap = XCompositeNameWindowPixmap(connection.display, window)
            defer { if !connection.isBroken { XFreePixmap(connection.display, pixmap) } }
            return try body(pixmap, border, border)
        }
    }
}
