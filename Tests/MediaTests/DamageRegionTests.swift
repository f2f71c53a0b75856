import Media
import TestPatterns
import Testing

@Suite struct DamageRegionTests {
    static let fullHD = PixelSize(width: 1920, height: 1080)

    @Test func `damage is clipped to the picture`() {
        var region = DamageRegion(size: Self.fullHD)
        region.add(PixelRect(x: -10, y: -20, width: 30, height: 40))
        region.add(PixelRect(x: 1900, y: 1070, width: 100, height: 100))
        #expect(
            region.rectangles == [
                PixelRect(x: 0, y: 0, width: 20, height: 20), PixelRect(x: 1900, y: 1070, width: 20, height: 10),
            ])
    }

    @Test(arguments: [
        PixelRect(x: 1920, y: 0, width: 10, height: 10), PixelRect(x: -10, y: 5, width: 10, height: 10),
        PixelRect(x: 5, y: 5, width: 0, height: 10), PixelRect(x: 5, y: 5, width: -2, height: 10),
    ])
    func `a rectangle that is empty or outside the picture adds no damage`(rectangle: PixelRect) {
        var region = DamageRegion(size: Self.fullHD)
        region.add(rectangle)
        #expect(region.isEmpty)
        #expect(region.boundingBox.isEmpty)
    }

    @Test func `a rectangle inside another one changes nothing, in any order`() {
        let large = PixelRect(x: 100, y: 100, width: 200, height: 100)
        let small = PixelRect(x: 150, y: 120, width: 8, height: 8)
        var one = DamageRegion(size: Self.fullHD)
        one.add(large)
        one.add(small)
        var other = DamageRegion(size: Self.fullHD)
        other.add(small)
        other.add(large)
        #expect(one.rectangles == [large])
        #expect(other.rectangles == [large])
    }

    @Test func `rectangles merge if the merged area is at most an eighth larger than both`() {
        // 80 + 80 pixels and a gap of 2 columns: 180 = 160 * 9 / 8.
        var near = DamageRegion(size: Self.fullHD)
        near.add(PixelRect(x: 0, y: 0, width: 8, height: 10))
        near.add(PixelRect(x: 10, y: 0, width: 8, height: 10))
        #expect(near.rectangles == [PixelRect(x: 0, y: 0, width: 18, height: 10)])
        var far = DamageRegion(size: Self.fullHD)
        far.add(PixelRect(x: 0, y: 0, width: 8, height: 10))
        far.add(PixelRect(x: 11, y: 0, width: 8, height: 10))
        #expect(
            far.rectangles == [
                PixelRect(x: 0, y: 0, width: 8, height: 10), PixelRect(x: 11, y: 0, width: 8, height: 10),
            ])
    }

    @Test func `a rectangle that connects two others results in one rectangle`() {
        var region = DamageRegion(size: Self.fullHD)
        region.add(PixelRect(x: 0, y: 0, width: 20, height: 20))
        region.add(PixelRect(x: 40, y: 0, width: 20, height: 20))
        #expect(region.rectangles.count == 2)
        region.add(PixelRect(x: 20, y: 0, width: 20, height: 20))
        #expect(region.rectangles == [PixelRect(x: 0, y: 0, width: 60, height: 20)])
    }

    @Test func `the sixty-fifth rectangle makes the region the whole picture`() {
        var region = DamageRegion(size: Self.fullHD)
        for index in 0..<64 { region.add(PixelRect(x: index % 8 * 200, y: index / 8 * 100, width: 4, height: 4)) }
        #expect(region.rectangles.count == 64)
        #expect(!region.isWhole)
        region.add(PixelRect(x: 1900, y: 1000, width: 4, height: 4))
        #expect(region.isWhole)
        #expect(region.rectangles == [PixelRect(x: 0, y: 0, width: 1920, height: 1080)])
    }

    @Test func `more than half of the area makes the region the whole picture, half does not`() {
        var half = DamageRegion(size: PixelSize(width: 100, height: 100))
        half.add(PixelRect(x: 0, y: 0, width: 50, height: 100))
        #expect(half.rectangles == [PixelRect(x: 0, y: 0, width: 50, height: 100)])
        var more = DamageRegion(size: PixelSize(width: 100, height: 100))
        more.add(PixelRect(x: 0, y: 0, width: 100, height: 51))
        #expect(more.isWhole)
        half.add(PixelRect(x: 99, y: 99, width: 1, height: 1))
        #expect(half.isWhole)
    }

    @Test func `a whole region remains whole`() {
        var region = DamageRegion.whole(Self.fullHD)
        region.add(PixelRect(x: 5, y: 5, width: 5, height: 5))
        #expect(region.isWhole)
        #expect(region == .whole(Self.fullHD))
    }

    @Test func `a union contains both regions`() {
        var one = DamageRegion(size: Self.fullHD)
        one.add(PixelRect(x: 0, y: 0, width: 10, height: 10))
        var other = DamageRegion(size: Self.fullHD)
        other.add(PixelRect(x: 500, y: 500, width: 10, height: 10))
        other.add(PixelRect(x: 900, y: 200, width: 10, height: 10))
        one.formUnion(other)
        #expect(one.rectangles.count == 3)
        #expect(one.boundingBox == PixelRect(x: 0, y: 0, width: 910, height: 510))
        #expect(one.covers(PixelRect(x: 502, y: 502, width: 3, height: 3)))
        #expect(!one.covers(PixelRect(x: 502, y: 502, width: 9, height: 3)))
        #expect(one.intersects(PixelRect(x: 909, y: 209, width: 50, height: 50)))
        #expect(!one.intersects(PixelRect(x: 910, y: 210, width: 50, height: 50)))
    }

    @Test(arguments: 1...8) func `all added rectangles are covered, and the invariants hold`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<60 {
            let size = PixelSize(
                width: Int.random(in: 1...400, using: &random), height: Int.random(in: 1...300, using: &random))
            let largest = Int.random(in: 1...60, using: &random)
            var region = DamageRegion(size: size)
            var added: [PixelRect] = []
            for _ in 0..<Int.random(in: 1...150, using: &random) {
                let rectangle = PixelRect(
                    x: Int.random(in: -20...size.width + 20, using: &random),
                    y: Int.random(in: -20...size.height + 20, using: &random),
                    width: Int.random(in: -2...largest, using: &random),
                    height: Int.random(in: -2...largest, using: &random))
                region.add(rectangle)
                added.append(rectangle)
                if let fault = Self.fault(of: region) {
                    Issue.record("seed \(seed), \(size): \(fault) after \(rectangle)")
                    return
                }
            }
            let damaged = Self.pixels(of: added, in: size)
            let reported = Self.pixels(of: region.rectangles, in: size)
            let isCovered = zip(damaged, reported).allSatisfy { !$0 || $1 }
            #expect(isCovered, "seed \(seed), \(size): a damaged pixel is in no rectangle")
        }
    }

    /// Returns a description of a violated invariant, or nil.
    private static func fault(of region: DamageRegion) -> String? {
        let picture = PixelRect(region.size)
        if region.rectangles.count > 64 { return "\(region.rectangles.count) rectangles" }
        for (index, one) in region.rectangles.enumerated() {
            if one.isEmpty { return "an empty rectangle" }
            if !picture.contains(one) { return "a rectangle outside the picture" }
            for (other, two) in region.rectangles.enumerated() where other != index && one.contains(two) {
                return "one contains another"
            }
        }
        let area = region.rectangles.reduce(0) { $0 + $1.area }
        if !region.isWhole && area * 2 > picture.area { return "more than half the area" }
        return nil
    }

    private static func pixels(of rectangles: [PixelRect], in size: PixelSize) -> [Bool] {
        var pixels = [Bool](repeating: false, count: size.area)
        for rectangle in rectangles {
            let inside = rectangle.intersection(PixelRect(size))
            guard !rectangle.isEmpty, !inside.isEmpty else { continue }
            for y in inside.y..<inside.maxY {
                for x in inside.x..<inside.maxX { pixels[y * size.width + x] = true }
            }
        }
        return pixels
    }
}
