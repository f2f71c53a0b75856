import Media

/// The pattern that replaces a hidden window: dark grey with fine stripes. It does not depend on the start of a patch.
package struct CoverPainter {
    private static let period = 16
    private var rows: [UInt32] = []

    package init() {}

    /// Paints over the part of `rectangles` in `patch`.
    ///
    /// - Parameters:
    ///   - memory: the memory that contains the pixels of `patch`.
    ///   - patch: in the same coordinates as `rectangles`.
    package mutating func paint(
        _ rectangles: [PixelRect], over memory: inout MutableRawSpan, _ patch: CapturedPatch
    ) {
        let frame = patch.rectangle
        if rows.count < frame.width + Self.period {
            rows = (0..<frame.width + Self.period).map {
                $0 % Self.period < Self.period / 2 ? 0xff26_2626 : 0xff2e_2e2e
            }
        }
        for rectangle in rectangles {
            let area = rectangle.intersection(frame)
            guard !area.isEmpty else { continue }
            memory.withUnsafeMutableBytes { bytes in
                rows.withUnsafeBytes { stripes in
                    for row in area.y..<area.maxY {
                        let phase = (area.x + row) % Self.period
                        let target = UnsafeMutableRawBufferPointer(
                            rebasing: bytes[patch.offset(x: area.x, y: row)...].prefix(area.width * 4))
                        target.copyMemory(
                            from: UnsafeRawBufferPointer(rebasing: stripes[(phase * 4)..<((phase + area.width) * 4)]))
                    }
                }
            }
        }
    }
}
