import TestPatterns

/// One picture, decoded by ffmpeg.
package struct DecodedFrame: Sendable {
    /// How its bytes are laid out, rows from the top down without padding.
    package enum Layout: String, Sendable {
        /// One byte of luma a pixel.
        case gray
        /// Red, green, blue.
        case rgb24

        /// Bytes.
        package var bytesPerPixel: Int { self == .gray ? 1 : 3 }
    }

    /// Pixels.
    package let width: Int
    /// Pixels.
    package let height: Int
    /// The layout of `bytes`.
    package let layout: Layout
    /// Seconds in the container's own time line.
    package let pts: Double
    /// When the test had it whole, in nanoseconds of CLOCK_MONOTONIC.
    package let received: Int64
    /// `width * height * layout.bytesPerPixel` of them.
    package let bytes: [UInt8]

    /// A frame from its members.
    package init(width: Int, height: Int, layout: Layout, pts: Double, received: Int64, bytes: [UInt8]) {
        precondition(bytes.count == width * height * layout.bytesPerPixel)
        self.width = width
        self.height = height
        self.layout = layout
        self.pts = pts
        self.received = received
        self.bytes = bytes
    }

    /// The mean of each component over a rectangle: one number for `gray`, red, green and blue for `rgb24`. 0...255.
    package func mean(of rectangle: PatternRectangle) -> [Double] {
        let (columns, rows) = rectangle.pixels(width: width, height: height)
        let size = layout.bytesPerPixel
        var sums = [Int](repeating: 0, count: size)
        bytes.withUnsafeBufferPointer { bytes in
            for row in rows {
                for column in columns {
                    for component in 0..<size {
                        sums[component] += Int(bytes[(row * width + column) * size + component])
                    }
                }
            }
        }
        return sums.map { Double($0) / Double(columns.count * rows.count) }
    }
}
