/// A rectangle in fractions of the screen (0...1, the origin at the top left), so that a pattern keeps its place at every size.
package struct PatternRectangle: Sendable, Equatable {
    /// The left edge, in fractions of the screen's width.
    package var x: Double
    /// The top edge, in fractions of the screen's height.
    package var y: Double
    /// In fractions of the screen's width.
    package var width: Double
    /// In fractions of the screen's height.
    package var height: Double

    /// The whole screen.
    package static let whole = PatternRectangle(x: 0, y: 0, width: 1, height: 1)

    /// A rectangle from its four fractions.
    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The same place inside `outer`: where a pattern lies in a picture that shows the screen in a part of it only (letterboxed, cropped).
    package func placed(in outer: PatternRectangle) -> PatternRectangle {
        PatternRectangle(
            x: outer.x + x * outer.width, y: outer.y + y * outer.height,
            width: width * outer.width, height: height * outer.height)
    }

    /// The middle part, `fraction` of the width and of the height: away from edges that scaling and chroma subsampling blur.
    package func inner(_ fraction: Double) -> PatternRectangle {
        PatternRectangle(
            x: x + width * (1 - fraction) / 2, y: y + height * (1 - fraction) / 2,
            width: width * fraction, height: height * fraction)
    }

    /// The pixels that it covers in a picture of `width` by `height` pixels: ranges of columns and rows, never empty inside the picture.
    package func pixels(width pictureWidth: Int, height pictureHeight: Int) -> (columns: Range<Int>, rows: Range<Int>) {
        (Self.span(from: x, length: width, of: pictureWidth), Self.span(from: y, length: height, of: pictureHeight))
    }

    private static func span(from start: Double, length: Double, of size: Int) -> Range<Int> {
        let first = min(max(Int((start * Double(size)).rounded()), 0), max(size - 1, 0))
        let end = min(max(Int(((start + length) * Double(size)).rounded()), first + 1), max(size, first + 1))
        return first..<end
    }
}
