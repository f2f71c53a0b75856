/// A rectangle in fractions of the screen (0...1, with the origin at the top left), so that a pattern is independent of
/// the screen size.
package struct PatternRectangle: Sendable, Equatable {
    /// The left edge as a fraction of the screen's width.
    package var x: Double
    /// The top edge as a fraction of the screen's height.
    package var y: Double
    /// The width as a fraction of the screen's width.
    package var width: Double
    /// The height as a fraction of the screen's height.
    package var height: Double

    /// The whole screen.
    package static let whole = PatternRectangle(x: 0, y: 0, width: 1, height: 1)

    /// Creates a rectangle from its four fractions.
    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The same area inside `outer`: the position of a pattern in a picture that shows the screen only in a part
    /// (letterboxed, cropped).
    package func placed(in outer: PatternRectangle) -> PatternRectangle {
        PatternRectangle(
            x: outer.x + x * outer.width, y: outer.y + y * outer.height,
            width: width * outer.width, height: height * outer.height)
    }

    /// The middle part with this fraction of the width and of the height, away from edges that scaling and chroma
    /// subsampling blur.
    package func inner(_ fraction: Double) -> PatternRectangle {
        PatternRectangle(
            x: x + width * (1 - fraction) / 2, y: y + height * (1 - fraction) / 2,
            width: width * fraction, height: height * fraction)
    }

    /// The pixels of the area in a picture of `width` by `height` pixels: ranges of columns and rows, never empty
    /// inside the picture.
    package func pixels(width pictureWidth: Int, height pictureHeight: Int) -> (columns: Range<Int>, rows: Range<Int>) {
        (Self.span(from: x, length: width, of: pictureWidth), Self.span(from: y, length: height, of: pictureHeight))
    }

    private static func span(from start: Double, length: Double, of size: Int) -> Range<Int> {
        let first = min(max(Int((start * Double(size)).rounded()), 0), max(size - 1, 0))
        let end = min(max(Int(((start + length) * Double(size)).rounded()), first + 1), max(size, first + 1))
        return first..<end
    }
}
