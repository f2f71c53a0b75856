import Media

/// The image of the mouse pointer, and how it is drawn over captured pixels that do not contain it.
package struct PointerImage: Sendable {
    package private(set) var size = PixelSize(width: 0, height: 0)
    /// The position of the hot spot in the image.
    private var hotSpot = (x: 0, y: 0)
    /// One premultiplied ARGB pixel each: blue in the lowest byte, alpha in the highest.
    private var pixels: [UInt32] = []

    /// An image without pixels.
    package init() {}

    /// - Parameter pixels: `size.area` premultiplied ARGB pixels. An image that is completely transparent counts as
    ///   none.
    package init(size: PixelSize, hotSpot: (x: Int, y: Int), pixels: [UInt32]) {
        guard pixels.count == size.area, pixels.contains(where: { $0 >> 24 != 0 }) else { return }
        self.size = size
        self.hotSpot = hotSpot
        self.pixels = pixels
    }

    /// Returns the area that the image covers if the hot spot is at a position. Empty if there is no image.
    package func rectangle(atX x: Int, y: Int) -> PixelRect {
        PixelRect(x: x - hotSpot.x, y: y - hotSpot.y, width: size.width, height: size.height)
    }

    /// Blends the image over the pixels of `patch`.
    ///
    /// - Parameters:
    ///   - rectangle: the area of the image in the picture, of the image's size, or empty.
    ///   - memory: the memory that contains the pixels of `patch`.
    package func draw(at rectangle: PixelRect, over memory: inout MutableRawSpan, _ patch: CapturedPatch) {
        let covered = rectangle.intersection(patch.rectangle)
        guard !covered.isEmpty, rectangle.size == size else { return }
        memory.withUnsafeMutableBytes { bytes in
            for row in covered.y..<covered.maxY {
                let line = patch.offset(x: patch.rectangle.x, y: row)
                for column in covered.x..<covered.maxX {
                    let source = pixels[(row - rectangle.y) * size.width + column - rectangle.x]
                    let transparency = 255 - Int(source >> 24)
                    if transparency == 255 { continue }
                    let offset = line + (column - patch.rectangle.x) * 4
                    for channel in 0..<3 {
                        let value = Int(source >> (8 * UInt32(channel))) & 0xff
                        bytes[offset + channel] = UInt8(
                            min(255, value + (Int(bytes[offset + channel]) * transparency + 127) / 255))
                    }
                }
            }
        }
    }
}
