import Media
import Testing

@Suite struct PixelRectTests {
    @Test func `an intersection contains the pixels of both rectangles`() {
        let one = PixelRect(x: 10, y: 20, width: 30, height: 40)
        #expect(
            one.intersection(PixelRect(x: 25, y: 5, width: 100, height: 30))
                == PixelRect(x: 25, y: 20, width: 15, height: 15))
        #expect(one.intersects(PixelRect(x: 39, y: 59, width: 1, height: 1)))
    }

    @Test func `adjacent rectangles have an empty intersection`() {
        let one = PixelRect(x: 10, y: 20, width: 30, height: 40)
        #expect(!one.intersects(PixelRect(x: 40, y: 20, width: 5, height: 5)))
        #expect(!one.intersects(PixelRect(x: 10, y: 60, width: 5, height: 5)))
        #expect(one.intersection(PixelRect(x: 100, y: 100, width: 5, height: 5)).isEmpty)
        #expect(one.intersection(PixelRect(x: 100, y: 100, width: 5, height: 5)).area == 0)
    }

    @Test func `a union contains both rectangles and ignores an empty one`() {
        let one = PixelRect(x: -4, y: 2, width: 6, height: 3)
        let empty = PixelRect(x: 900, y: 900, width: 0, height: 7)
        #expect(one.union(PixelRect(x: 10, y: 0, width: 2, height: 1)) == PixelRect(x: -4, y: 0, width: 16, height: 5))
        #expect(one.union(empty) == one)
        #expect(empty.union(one) == one)
    }

    @Test func `a rectangle contains itself and inner rectangles, but not overlapping ones`() {
        let one = PixelRect(x: 10, y: 20, width: 30, height: 40)
        #expect(one.contains(one))
        #expect(one.contains(PixelRect(x: 39, y: 59, width: 1, height: 1)))
        #expect(!one.contains(PixelRect(x: 39, y: 59, width: 2, height: 1)))
        #expect(!one.contains(PixelRect(x: 9, y: 20, width: 1, height: 1)))
    }

    @Test(arguments: [
        (PixelRect(x: 4, y: 6, width: 8, height: 10), PixelRect(x: 4, y: 6, width: 8, height: 10)),
        (PixelRect(x: 5, y: 7, width: 1, height: 1), PixelRect(x: 4, y: 6, width: 2, height: 2)),
        (PixelRect(x: 5, y: 7, width: 2, height: 2), PixelRect(x: 4, y: 6, width: 4, height: 4)),
        (PixelRect(x: -1, y: -3, width: 2, height: 4), PixelRect(x: -2, y: -4, width: 4, height: 6)),
    ])
    func `chroma alignment expands each edge to an even pixel`(rectangle: PixelRect, aligned: PixelRect) {
        #expect(rectangle.alignedToChroma == aligned)
    }

    @Test func `an offset keeps the size`() {
        #expect(
            PixelRect(x: 1, y: 2, width: 3, height: 4).offsetBy(x: -5, y: 6)
                == PixelRect(x: -4, y: 8, width: 3, height: 4))
    }

    @Test func `A picture from 16x16 to 16384x16384 can be encoded`() {
        #expect("\(PixelSize.smallest)" == "16x16" && "\(PixelSize.largest)" == "16384x16384")
        #expect(
            PixelSize.smallest.isEncodable && PixelSize.largest.isEncodable
                && PixelSize(width: 16, height: 16384).isEncodable)
        for (width, height) in [(15, 16), (16, 15), (16385, 16), (16, 16385), (0, 0), (-16, 16)] {
            #expect(!PixelSize(width: width, height: height).isEncodable, "\(width)x\(height)")
        }
    }

    @Test func `an odd size is rounded down to even`() {
        #expect(PixelSize(width: 1367, height: 769).roundedDownToEven == PixelSize(width: 1366, height: 768))
        #expect(PixelSize(width: 1366, height: 768).roundedDownToEven == PixelSize(width: 1366, height: 768))
        #expect("\(PixelSize(width: 1920, height: 1080))" == "1920x1080")
    }

    @Test func `a negative width or height is empty and has no area`() {
        #expect(PixelRect(x: 0, y: 0, width: -3, height: -3).isEmpty)
        #expect(PixelRect(x: 0, y: 0, width: -3, height: -3).area == 0)
    }
}
