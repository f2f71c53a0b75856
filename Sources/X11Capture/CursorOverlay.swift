import CX11
import Capture
import Media

/// The mouse pointer: its position, its image, and how to draw it over grabbed pixels.
///
/// The X server draws the pointer above all windows, so a grab does not contain it. XFixes provides its image as
/// premultiplied ARGB, one pixel in the low 32 bits of each unsigned long (XFixes protocol, version 2, 7). For an
/// animated pointer, XFixes reports each image.
final class CursorOverlay {
    private let connection: X11Connection
    private var image = PointerImage()
    /// The area of the pointer's image in the picture. Empty if the pointer is on another screen, over another window,
    /// or invisible.
    private(set) var rectangle = PixelRect(x: 0, y: 0, width: 0, height: 0)

    init(connection: X11Connection) {
        self.connection = connection
        XFixesSelectCursorInput(connection.display, connection.root, UInt(XFixesDisplayCursorNotifyMask))
        fetchImage()
    }

    /// Requests the pointer's image: once at the start, and after each XFixesCursorNotify. The server answers with an
    /// error as long as it shows no pointer.
    func fetchImage() {
        guard let cursor = XFixesGetCursorImage(connection.display) else { return }
        defer { XFree(cursor) }
        let size = PixelSize(width: Int(cursor.pointee.width), height: Int(cursor.pointee.height))
        image = PointerImage(
            size: size, hotSpot: (Int(cursor.pointee.xhot), Int(cursor.pointee.yhot)),
            pixels: (0..<size.area).map { UInt32(truncatingIfNeeded: cursor.pointee.pixels[$0]) })
    }

    /// Requests the pointer's position. Returns true if the area of its image in the picture changed.
    func updatePosition(over area: CapturedArea) -> Bool {
        var root = Window()
        var child = Window()
        var (rootX, rootY, windowX, windowY): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        var buttons: UInt32 = 0
        let onScreen = XQueryPointer(
            connection.display, connection.root, &root, &child, &rootX, &rootY, &windowX, &windowY, &buttons)
        let before = rectangle
        let isOver = onScreen != 0 && area.shows(x: Int(rootX), y: Int(rootY), inTopLevel: child)
        rectangle =
            isOver
            ? image.rectangle(atX: Int(rootX) - area.place.x, y: Int(rootY) - area.place.y)
            : PixelRect(x: 0, y: 0, width: 0, height: 0)
        return rectangle != before
    }

    /// Blends the pointer over `pixels`. (`x`, `y`) is the position of the pixels in the picture.
    func draw(over pixels: PixelBuffer, x: Int, y: Int) {
        image.draw(at: rectangle, over: pixels, x: x, y: y)
    }
}

extension CapturedArea {
    /// Returns true if the captured content is visible at a point of the root window. A window is not visible under
    /// another window.
    fileprivate func shows(x: Int, y: Int, inTopLevel top: Window) -> Bool {
        switch pixels {
        case .root: true
        case .window(_, _, let topLevel): topLevel == top && place.contains(PixelRect(x: x, y: y, width: 1, height: 1))
        }
    }
}
