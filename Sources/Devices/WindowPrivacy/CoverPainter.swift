import Media

/// The pattern that replaces a hidden window: dark grey with fine stripes. It does not depend on the start of a patch.
package struct CoverPainter {
    private static let period = 16
    private var rows: [UInt32] = []

    package init() {}

    /// Paints over the part of `rectangles` in `pixels`, whose top-left corner is at (`x`, `y`).
    package mutating func paint(_ rectangles: [PixelRect], over pixels: PixelBuffer, x: Int, y: Int) {
        let frame = PixelRect(x: x, y: y, width: pixels.size.width, height: pixels.size.height)
        if rows.count < frame.width + Self.period {
            rows = (0..<frame.width + Self.period).map {
                $0 % Self.period < Self.period / 2 ? 0xff26_2626 : 0xff2e_2e2e
            }
        }
        for rectangle in rectangles {
            let area = rectangle.intersection(frame)
            guard !area.isEmpty else { continue }
            pixels.withUnsafeMutableBytes { bytes in
                rows.withUnsafeBytes { stripes in
                    for row in area.y..<area.maxY {
                        let phase = (area.x + row) % Self.period
                        let target = UnsafeMutableRawBufferPointer(
                            rebasing: bytes[((row - y) * pixels.stride + (area.x - x) * 4)...].prefix(area.width * 4))
                        target.copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: stripes[(phase * 4)..<((phase + area.width) * 4)]))
                    }
                }
            }
        }
    }
}
