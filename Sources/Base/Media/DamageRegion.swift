/// The part of a picture that changed since the previous one, as a short list of rectangles.
///
/// Invariant: no rectangle is empty, each is inside the picture, none contains another, and there are at most
/// `maximumRectangles`. Rectangles can overlap at the edges. If the region covers more than half of the picture's area
/// or has too many rectangles, it becomes the whole picture, because one large grab is cheaper than many small ones.
public struct DamageRegion: Equatable, Sendable {
    /// The maximum number of rectangles. With more, the region becomes the whole picture.
    public static let maximumRectangles = 64

    /// The picture's size. Damage outside of it is ignored.
    public let size: PixelSize
    public private(set) var rectangles: [PixelRect] = []

    /// Creates an empty region of a picture of `size`.
    public init(size: PixelSize) {
        self.size = size
    }

    /// Returns a region that covers the whole picture.
    public static func whole(_ size: PixelSize) -> DamageRegion {
        var region = DamageRegion(size: size)
        region.add(PixelRect(size))
        return region
    }

    public var isEmpty: Bool { rectangles.isEmpty }
    public var isWhole: Bool { rectangles.count == 1 && rectangles[0] == PixelRect(size) }
    /// The number of pixels. Those in which rectangles overlap count more than once.
    package var area: Int { rectangles.reduce(0) { $0 + $1.area } }
    /// True if at most a sixteenth of the picture changed, for example a line of text or a clock.
    package var isSmall: Bool { area * 16 <= size.area }
    /// The smallest rectangle that contains the region.
    public var boundingBox: PixelRect {
        rectangles.dropFirst().reduce(rectangles.first ?? PixelRect(x: 0, y: 0, width: 0, height: 0)) { $0.union($1) }
    }

    /// Adds the part of `rectangle` inside the picture, and merges it with other rectangles if the merged area is
    /// little larger.
    public mutating func add(_ rectangle: PixelRect) {
        var merged = rectangle.intersection(PixelRect(size))
        guard !merged.isEmpty, !isWhole else { return }
        if rectangles.contains(where: { $0.contains(merged) }) { return }
        // Merge two rectangles if the merged area is at most an eighth larger than the sum of both.
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
        if rectangles.count > Self.maximumRectangles || area * 2 > size.area {
            rectangles = [PixelRect(size)]
        }
    }

    /// Adds all rectangles of `other`, which must have the same picture size.
    public mutating func formUnion(_ other: DamageRegion) {
        for rectangle in other.rectangles { add(rectangle) }
    }

    public func intersects(_ rectangle: PixelRect) -> Bool {
        rectangles.contains { $0.intersects(rectangle) }
    }

    /// Returns true if a single rectangle of the region contains `rectangle`.
    public func covers(_ rectangle: PixelRect) -> Bool {
        rectangles.contains { $0.contains(rectangle) }
    }
}
