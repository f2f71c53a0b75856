import CX11
import TestPatterns

/// Computed pixmaps, and text that is larger than the core font.
extension Canvas {
    /// Creates a pixmap of that size in pixels. A function of the column and the row returns the colours. Free the
    /// pixmap with `free(_:)`.
    func pixmap(width: Int, height: Int, colour: (Int, Int) -> PatternColour) throws(TestScreenError) -> Pixmap {
        guard let image = XCreateImage(display, visual, depth, ZPixmap, 0, nil, UInt32(width), UInt32(height), 32, 0)
        else {
            throw .display("no image of \(width)x\(height)")
        }
        // The image now owns the bytes, and frees them with free(3).
        image.pointee.data = UnsafeMutableRawPointer.allocate(
            byteCount: Int(image.pointee.bytes_per_line) * height, alignment: 16
        )
        .assumingMemoryBound(to: CChar.self)
        defer { _ = cx11_destroy_image(image) }
        for row in 0..<height {
            for column in 0..<width {
                _ = image.pointee.f.put_pixel(image, Int32(column), Int32(row), pixel(colour(column, row)))
            }
        }
        let result = XCreatePixmap(display, window, UInt32(width), UInt32(height), depth)
        XPutImage(display, result, graphics, image, 0, 0, 0, 0, UInt32(width), UInt32(height))
        return result
    }

    /// Creates a pixmap of that size from pixels of 4 bytes each: B, G, R and an unused one. Needs a screen with a
    /// depth of 24.
    func pixmap(width: Int, height: Int, pixels: UnsafeRawPointer) -> Pixmap {
        let result = XCreatePixmap(display, window, UInt32(width), UInt32(height), depth)
        // A request has a limited size, so that a long image needs several.
        let rows = max(1, min(height, 1 << 22 / (width * 4)))
        for first in stride(from: 0, to: height, by: rows) {
            let count = min(rows, height - first)
            let bytes = UnsafeMutableRawPointer(mutating: pixels + first * width * 4).assumingMemoryBound(
                to: CChar.self)
            guard
                let image = XCreateImage(
                    display, visual, depth, ZPixmap, 0, bytes, UInt32(width), UInt32(count), 32, Int32(width * 4))
            else {
                continue
            }
            XPutImage(display, result, graphics, image, 0, 0, 0, Int32(first), UInt32(width), UInt32(count))
            // The pixels are not the image's.
            image.pointee.data = nil
            _ = cx11_destroy_image(image)
        }
        return result
    }

    /// Frees a pixmap.
    func free(_ pixmap: Pixmap) {
        XFreePixmap(display, pixmap)
    }

    /// Shows a part of a larger pixmap, starting at that corner, with one copy in the server.
    func show(_ source: Pixmap, fromX x: Int, y: Int) {
        XCopyArea(display, source, window, graphics, Int32(x), Int32(y), UInt32(width), UInt32(height), 0, 0)
    }

    /// The glyphs of a text as rectangles, in font pixels from the text's top left: runs of set pixels, one row high.
    /// The server draws the text once. This needs a round trip, so call it only for a new text.
    func glyphRuns(of text: String) -> [XRectangle] {
        let size = (width: UInt32(max(text.utf8.count, 1) * 6), height: UInt32(13))
        let stencil = XCreatePixmap(display, window, size.width, size.height, 1)
        defer { XFreePixmap(display, stencil) }
        guard let context = XCreateGC(display, stencil, 0, nil) else { return [] }
        defer { XFreeGC(display, context) }
        XSetForeground(display, context, 0)
        XFillRectangle(display, stencil, context, 0, 0, size.width, size.height)
        XSetForeground(display, context, 1)
        let font = XLoadFont(display, "fixed")
        XSetFont(display, context, font)
        XDrawString(display, stencil, context, 0, 11, text, Int32(text.utf8.count))
        XUnloadFont(display, font)
        guard let image = XGetImage(display, stencil, 0, 0, size.width, size.height, 1, XYPixmap) else { return [] }
        defer { _ = cx11_destroy_image(image) }

        var runs: [XRectangle] = []
        for row in 0..<Int32(size.height) {
            var start: Int32?
            for column in 0...Int32(size.width) {
                let isSet = column < Int32(size.width) && image.pointee.f.get_pixel(image, column, row) != 0
                if isSet, start == nil {
                    start = column
                } else if !isSet, let first = start {
                    runs.append(XRectangle(x: Int16(first), y: Int16(row), width: UInt16(column - first), height: 1))
                    start = nil
                }
            }
        }
        return runs
    }

    /// Paints such runs enlarged by `scale`, with their top left at `x` and `y` pixels.
    func draw(_ runs: [XRectangle], scale: Int, _ colour: PatternColour, x: Int, y: Int) {
        var list = runs.map { run in
            XRectangle(
                x: Int16(x + Int(run.x) * scale), y: Int16(y + Int(run.y) * scale),
                width: UInt16(Int(run.width) * scale), height: UInt16(scale))
        }
        XSetForeground(display, graphics, pixel(colour))
        XFillRectangles(display, pixmap, graphics, &list, Int32(list.count))
    }
}
