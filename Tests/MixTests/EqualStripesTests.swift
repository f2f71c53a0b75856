import Media
import Mix
import Testing

@Suite struct EqualStripesTests {
    private let size = PixelSize(width: 40, height: 100)

    /// A picture of one patch, in which row n has the value `rows[n]`.
    private func picture(_ rows: [UInt8], top: Int = 0) -> CapturedChange {
        let pixels = PixelBuffer(format: .bgra, size: PixelSize(width: size.width, height: rows.count))
        pixels.withUnsafeMutableBytes { bytes in
            for (row, value) in rows.enumerated() {
                for index in row * pixels.stride..<(row + 1) * pixels.stride { bytes[index] = value }
            }
        }
        var damage = DamageRegion(size: size)
        damage.add(PixelRect(x: 0, y: top, width: size.width, height: rows.count))
        return CapturedChange(
            size: size, at: .zero, patches: [CapturedPatch(x: 0, y: top, buffer: pixels)], damage: damage)
    }

    private func rows(_ picture: CapturedChange) -> [Range<Int>] {
        picture.patches.map { $0.rectangle.y..<$0.rectangle.maxY }
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
        let pixels = [part.patches[0], part.patches[1]].map { CapturedSample.lent(part, RawSpan()).firstBytes(of: $0) }
        #expect(pixels[0] == (16..<32).map { $0 == 17 ? 200 : UInt8($0) })
        #expect(pixels[1] == [96, 97, 98, 201])
        let same = stripes.remove(from: source)
        #expect(rows(same) == [])
    }

    @Test func `the parts of lent pixels are where the rows are`() {
        var stripes = EqualStripes()
        // Rows of 40 pixels inside of rows of 50, after 3 other rows.
        let whole = CapturedPatch(PixelRect(size), offset: 3 * 200 + 20, stride: 200)
        var memory = (0..<103).flatMap { [UInt8](repeating: UInt8($0), count: 200) }
        let change = CapturedChange(size: size, at: .zero, patches: [whole], damage: .whole(size))
        let first = memory.withUnsafeBytes { stripes.remove(from: .lent(change, $0.bytes)) }
        #expect(rows(first) == [0..<100])
        // What is between the rows does not count.
        memory[3 * 200 + 19] = 255
        memory[(3 + 50) * 200 + 20 + 40 * 4 - 1] = 255
        let second = memory.withUnsafeBytes { stripes.remove(from: .lent(change, $0.bytes)) }
        #expect(rows(second) == [48..<64])
        #expect(second.patches.first?.offset == (3 + 48) * 200 + 20)
        #expect(second.patches.first?.byteRange.upperBound == (3 + 63) * 200 + 20 + 40 * 4)
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
        let other = CapturedChange.black(PixelSize(width: 40, height: 90), at: .zero)
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

extension EqualStripes {
    /// The patches of `change` have buffers of their own.
    fileprivate mutating func remove(from change: CapturedChange) -> CapturedChange {
        remove(from: .lent(change, RawSpan()))
    }
}

extension CapturedSample {
    /// The first byte of each row of a patch.
    fileprivate func firstBytes(of patch: CapturedPatch) -> [UInt8] {
        withBytes(of: patch) { bytes in
            (0..<patch.rectangle.height).map { bytes.unsafeLoad(fromByteOffset: $0 * patch.stride, as: UInt8.self) }
        }
    }
}
