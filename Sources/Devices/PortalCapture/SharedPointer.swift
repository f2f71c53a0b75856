import CPipeWire
import Capture
import Media

/// The mouse pointer of a stream that describes it beside the picture.
package struct SharedPointer {
    private var image = PointerImage()
    private var serial: UInt32 = 0
    private var isVisible = false
    /// The hot spot in the stream's frame.
    private var position = (x: 0, y: 0)
    /// True if the pointer changed since the last `rectangle` was drawn.
    package private(set) var isChanged = false

    package init() {}

    /// Another stream follows, which counts its images from one again. The pointer is hidden until the stream describes
    /// it.
    package mutating func beginStream() {
        self = SharedPointer()
        isChanged = true
    }

    /// Notes what the compositor says. An image that did not change is not copied.
    package mutating func update(from cursor: cpw_cursor) {
        isChanged = true
        isVisible = cursor.is_visible
        position = (Int(cursor.x), Int(cursor.y))
        guard cursor.serial != serial else { return }
        serial = cursor.serial
        let size = PixelSize(width: Int(cursor.width), height: Int(cursor.height))
        var pixels: [UInt32] = []
        if let bytes = cursor.pixels {
            pixels = (0..<size.area).map { index in
                let pixel = bytes + index * 4
                let (first, second, third) = (UInt32(pixel[0]), UInt32(pixel[1]), UInt32(pixel[2]))
                let (red, blue) = cursor.is_red_first ? (first, third) : (third, first)
                return UInt32(pixel[3]) << 24 | red << 16 | second << 8 | blue
            }
        }
        image = PointerImage(size: size, hotSpot: (Int(cursor.hot_x), Int(cursor.hot_y)), pixels: pixels)
    }

    /// The pointer was drawn as it is now.
    package mutating func noteDrawn() {
        isChanged = false
    }

    /// Returns the area of the pointer in the picture; empty if it is not visible.
    ///
    /// - Parameter place: returns the position in the picture for one in the stream's frame.
    package func rectangle(_ place: (Int, Int) -> (x: Int, y: Int)) -> PixelRect {
        guard isVisible, image.size.area > 0 else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        let (x, y) = place(position.x, position.y)
        return image.rectangle(atX: x, y: y)
    }

    /// Blends the pointer over `patch`, whose pixels are in `memory`.
    func draw(at rectangle: PixelRect, over memory: inout MutableRawSpan, _ patch: CapturedPatch) {
        image.draw(at: rectangle, over: &memory, patch)
    }
}
