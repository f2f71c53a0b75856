/// A width and a height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The size as users write it: `1920x1080`.
    public var description: String { "\(width)x\(height)" }

    /// The number of pixels.
    public var area: Int { width * height }

    /// The smallest and the largest picture that can be encoded.
    package static let smallest = PixelSize(width: 16, height: 16)
    package static let largest = PixelSize(width: 16384, height: 16384)

    /// True if a picture of this size can be encoded once it is even.
    package var isEncodable: Bool {
        (Self.smallest.width...Self.largest.width).contains(width)
            && (Self.smallest.height...Self.largest.height).contains(height)
    }

    /// True if no picture in 4:2:0 fits in this size.
    package var isTooSmall: Bool { width < 2 || height < 2 }

    /// The largest even size that fits in this size, because 4:2:0 chroma requires an even width and height.
    public var roundedDownToEven: PixelSize { PixelSize(width: width & ~1, height: height & ~1) }
}

/// A rectangle of whole pixels. `x` and `y` are the position of its top left pixel, relative to the picture's top left.
public struct PixelRect: Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Creates a rectangle that covers a picture of `size`.
    public init(_ size: PixelSize) {
        self.init(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The column after the last one.
    public var maxX: Int { x + width }
    /// The row after the last one.
    public var maxY: Int { y + height }
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    public var area: Int { isEmpty ? 0 : width * height }
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns the pixels that are in both rectangles. The result is empty if they do not overlap.
    public func intersection(_ other: PixelRect) -> PixelRect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        return PixelRect(
            x: left, y: top, width: max(0, min(maxX, other.maxX) - left), height: max(0, min(maxY, other.maxY) - top))
    }

    public func intersects(_ other: PixelRect) -> Bool { !intersection(other).isEmpty }

    public func contains(_ other: PixelRect) -> Bool {
        other.x >= x && other.y >= y && other.maxX <= maxX && other.maxY <= maxY
    }

    /// Returns the smallest rectangle that contains both. An empty rectangle is ignored.
    public func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let left = min(x, other.x)
        let top = min(y, other.y)
        return PixelRect(x: left, y: top, width: max(maxX, other.maxX) - left, height: max(maxY, other.maxY) - top)
    }

    public func offsetBy(x dx: Int, y dy: Int) -> PixelRect {
        PixelRect(x: x + dx, y: y + dy, width: width, height: height)
    }

    /// The rectangle expanded to even edges, as 4:2:0 chroma requires.
    public var alignedToChroma: PixelRect {
        let left = x & ~1
        let top = y & ~1
        return PixelRect(x: left, y: top, width: ((maxX + 1) & ~1) - left, height: ((maxY + 1) & ~1) - top)
    }
}
