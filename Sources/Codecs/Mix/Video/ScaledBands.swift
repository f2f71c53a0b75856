import Media

/// The rows of a picture that can be scaled alone with the same result as all of it together.
///
/// If 3 rows become 2, each 3 rows determine 2 rows of the result, because libyuv filters within them. That holds where
/// libyuv's positions are exact (16 bits after the point), or where it has a kernel of its own for the ratio.
package struct ScaledBands {
    private let source: PixelSize
    private let content: PixelRect
    /// The least numbers of rows that belong together; even, because chroma has half of the rows.
    private let period: (source: Int, content: Int)

    /// - Parameters:
    ///   - source: the size of the picture; even.
    ///   - content: the part of the target that shows it, with even edges.
    package init(source: PixelSize, content: PixelRect) {
        self.source = source
        self.content = content
        let divisor = Self.greatestCommonDivisor(source.height, content.height)
        let ratio = (source: source.height / max(divisor, 1), content: content.height / max(divisor, 1))
        let hasOwnKernel = [(4, 3), (8, 3)].contains { from, to in
            source.width * to == content.width * from && source.height * to == content.height * from
        }
        let isExact = ratio.content > 0 && (ratio.source << 16) % ratio.content == 0
        let isPeriodic = content.height <= source.height && (isExact || hasOwnKernel)
        period = isPeriodic ? (ratio.source * 2, ratio.content * 2) : (source.height, content.height)
    }

    /// Returns the rows to scale so that all of `region` of the target is written: rows of the source, and rows of the
    /// content.
    package func rows(of region: DamageRegion) -> [(source: Range<Int>, content: Range<Int>)] {
        guard period.content > 0 else { return [] }
        let blocks = region.rectangles.map { $0.intersection(content) }.filter { !$0.isEmpty }
            .map { ($0.y - content.y) / period.content..<($0.maxY - content.y + period.content - 1) / period.content }
            .sorted { $0.lowerBound < $1.lowerBound }
        var merged: [Range<Int>] = []
        for block in blocks {
            if let last = merged.last, block.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, block.upperBound)
            } else {
                merged.append(block)
            }
        }
        return merged.map { blocks in
            (
                blocks.lowerBound * period.source..<min(blocks.upperBound * period.source, source.height),
                blocks.lowerBound * period.content..<min(blocks.upperBound * period.content, content.height)
            )
        }
    }

    private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
        other == 0 ? one : greatestCommonDivisor(other, one % other)
    }
}
