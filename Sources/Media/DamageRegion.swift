/// The part of a picture that changed since the one before: a short list of rectangles.
///
/// Invariant: no rectangle is empty, each lies inside `bounds`, none contains another, and there are never more than
/// `maximumRectangles`. Rectangles may overlap at the edges. Past half of the picture's area, or too many pieces,
/// the region becomes the whole picture: grabbing one big area is cheaper than many small ones (DESIGN section 9).
public struct DamageRegion: Equatable, Sendable {
    /// More pieces than this and the region becomes the whole picture.
    public static let maximumRectangles = 64

    /// The picture's size; nothing outside it can be damaged.
    public let size: PixelSize
    public private(set) var rectangles: [PixelRect] = []

    /// An empty region of a picture of `size`.
    public init(size: PixelSize) {
        self.size = size
    }

    /// The whole picture.
    public static func whole(_ size: PixelSize) -> DamageRegion {
        var region = DamageRegion(size: size)
        region.add(PixelRect(size))
        return region
    }

    public var isEmpty: Bool { rectangles.isEmpty }
    public var isWhole: Bool { rectangles.count == 1 && rectangles[0] == PixelRect(size) }
    /// The smallest rectangle around all of it.
    public var boundingBox: PixelRect {
        rectangles.dropFirst().reduce(rectangles.first ?? PixelRect(x: 0, y: 0, width: 0, height: 0)) { $0.union($1) }
    }

    /// Adds what lies of `rectangle` inside the picture, and merges it with its neighbours where that costs little.
    public mutating func add(_ rectangle: PixelRect) {
        var merged = rectangle.intersection(PixelRect(size))
        guard !merged.isEmpty, !isWhole else { return }
        if rectangles.contains(where: { $0.contains(merged) }) { return }
        // Two rectangles become one where the one holds no more than an eighth more pixels than the two.
        var index = 0
        while index < rectangles.count {
            let candidate = merged.union(rectangles[index])
            if candidate.area <= (merged.area + rectangles[index].area) * 9 / 8 {
                merged = candidate
                rectangles.remove(at: index)
                index = 0
            } else {
                index += 1
            }
        }
        rectangles.append(merged)
        let area = rectangles.reduce(0) { $0 + $1.area }
        if rectangles.count > Self.maximumRectangles || area * 2 > size.area {
            rectangles = [PixelRect(size)]
        }
    }

    /// Adds every rectangle of `other`, which must be of the same picture size.
    public mutating func formUnion(_ other: DamageRegion) {
        for rectangle in other.rectangles { add(rectangle) }
    }

    public func intersects(_ rectangle: PixelRect) -> Bool {
        rectangles.contains { $0.intersects(rectangle) }
    }

    /// True where one rectangle of the region covers all of `rectangle`.
    public func covers(_ rectangle: PixelRect) -> Bool {
        rectangles.contains { $0.contains(rectangle) }
    }
}
