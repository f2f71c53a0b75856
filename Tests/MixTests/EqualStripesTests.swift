import Media
import Mix
import Testing

@Suite struct EqualStripesTests {
    private let size = PixelSize(width: 40, height: 100)

    /// A picture of one patch, in which row n has the value `rows[n]`.
    private func picture(_ rows: [UInt8], top: Int = 0) -> Picture {
        let pixels = PixelBuffer(format: .bgra, size: PixelSize(width: size.width, height: rows.count))
        pixels.withUnsafeMutableBytes { bytes in
            for (row, value) in rows.enumerated() {
                for index in row * pixels.stride..<(row + 1) * pixels.stride { bytes[index] = value }
            }
        }
        var damage = DamageRegion(size: size)
        damage.add(PixelRect(x: 0, y: top, width: size.width, height: rows.count))
        return Picture(size: size, patches: [.init(x: 0, y: top, pixels: pixels)], damage: damage)
    }

    private func rows(_ picture: Picture) -> [Range<Int>] {
        picture.patches.map { $0.y..<$0.y + $0.pixels.size.height }
    }

    @Test func `only the stripes that differ remain, with their pixels`() {
        var stripes = EqualStripes()
        var values = (0..<100).map { UInt8($0) }
        let parts = (0..<2).map { _ in rows(stripes.remove(from: picture(values))) }
        #expect(parts == [[0..<100], []])
        values[17] = 200
        values[99] = 201
        let source = picture(values)
        let part = stripes.remove(from: source)
        #expect(rows(part) == [16..<32, 96..<100])
        #expect(
            part.damage.rectangles == [
                PixelRect(x: 0, y: 16, width: 40, height: 16), PixelRect(x: 0, y: 96, width: 40, height: 4),
            ])
        #expect(part.patches[0].pixels.withUnsafeBytes { $0[40 * 4] } == 200)
        #expect(part.patches[1].pixels.withUnsafeBytes { $0[3 * 40 * 4] } == 201)
        let same = stripes.remove(from: source)
        #expect(rows(same) == [])
    }

    @Test func `a part that was shown in between counts`() {
        var stripes = EqualStripes()
        let values = (0..<100).map { UInt8($0) }
        _ = stripes.remove(from: picture(values))
        let part = stripes.remove(from: picture([9, 9, 9], top: 31))
        #expect(rows(part) == [31..<34])
        // The picture before that part is a change again, in both stripes.
        let after = stripes.remove(from: picture(values))
        #expect(rows(after) == [16..<48])
    }

    @Test func `a picture of another size has no equal stripes`() {
        var stripes = EqualStripes()
        _ = stripes.remove(from: picture([UInt8](repeating: 1, count: 100)))
        let other = Picture.whole(PixelSize(width: 40, height: 90))
        let part = stripes.remove(from: other)
        #expect(part.damage.isWhole)
    }

    @Test func `while most stripes differ, few pictures are looked at`() {
        var stripes = EqualStripes()
        _ = stripes.remove(from: picture([UInt8](repeating: 0, count: 100)))
        _ = stripes.remove(from: picture([UInt8](repeating: 1, count: 100)))
        // It rests, so equal pictures pass whole, and then needs one to compare with.
        let still = (0..<40).map { _ in rows(stripes.remove(from: picture([UInt8](repeating: 2, count: 100)))) }
        #expect(still == Array(repeating: [0..<100], count: 31) + Array(repeating: [], count: 9))
    }
}

extension Picture {
    /// A black picture of one patch.
    fileprivate static func whole(_ size: PixelSize) -> Picture {
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 1) }
        return Picture(size: size, patches: [.init(x: 0, y: 0, pixels: pixels)], damage: .whole(size))
    }
}
