import Encode
import Media
import Testing

@Suite struct QuantizerHoldTests {
    private static let size = PixelSize(width: 640, height: 360)
    private var hold = QuantizerHold(kilobits: 900, frameRate: 30)
    /// A third of the bytes of a frame at this bitrate.
    private static let limit = 1250

    /// The QP that is held for a frame in which `rows` of 360 rows changed, which then has `size` bytes and, if none is
    /// held, the QP `chosen`.
    private mutating func encode(
        rows: Int = 20, isIDR: Bool = false, level: Double = 0.7, size: Int = 500, chosen: Int = 30
    ) -> Int? {
        var region = DamageRegion(size: Self.size)
        if rows > 0 { region.add(PixelRect(x: 0, y: 0, width: Self.size.width, height: rows)) }
        let held = hold.quantizer(changed: region, isIDR: isIDR, level: level)
        hold.note(size: size, quantizer: isIDR ? chosen : held ?? chosen)
        return held
    }

    /// The QPs that are held for some equal frames.
    private mutating func encode(_ count: Int, level: Double = 0.7, size: Int = 500, chosen: Int = 30) -> [Int?] {
        var result: [Int?] = []
        for _ in 0..<count { result.append(encode(level: level, size: size, chosen: chosen)) }
        return result
    }

    @Test(arguments: [360, 23]) mutating func `the QP of a small change is held until a large change`(rows: Int) {
        let small = encode(40, chosen: 20)
        let large = encode(rows: rows, chosen: 24)
        let next = encode(2, chosen: 22)
        #expect(small == [nil] + Array(repeating: 20, count: 39))
        #expect(large == nil && next == [nil, 22])
    }

    @Test mutating func `a frame that only becomes sharper lowers it`() {
        _ = encode(chosen: 20)
        let refined = encode(rows: 0, size: 9000, chosen: 15)
        let next = encode()
        _ = encode(rows: 0, chosen: 51)
        let last = encode()
        #expect(refined == nil && next == 15 && last == 15)
    }

    @Test mutating func `a full buffer lowers the QP, down to 11`() {
        _ = encode(chosen: 20)
        let first = encode(level: 1, chosen: 14)
        let between = encode(level: 0.94)
        let second = encode(level: 0.95, chosen: 11)
        let lowest = encode(level: 1, chosen: 9)
        #expect(first == nil && between == 14 && second == nil && lowest == 11)
    }

    @Test mutating func `if x264 finds no lower QP, it is held for a while`() {
        _ = encode(chosen: 20)
        let held = encode(33, level: 1, chosen: 20)
        let attempts = held.indices.filter { held[$0] == nil }
        #expect(attempts == [0, 15, 30])
    }

    @Test mutating func `x264 chooses after a large frame while the buffer is almost empty`() {
        _ = encode(chosen: 20)
        let large = encode(level: 0.1, size: Self.limit + 1)
        let empty = encode(level: 0.19, chosen: 19)
        let filled = encode(level: 0.2)
        #expect(large == 20 && empty == nil && filled == 19)
    }

    @Test mutating func `a QP at which four frames in a row are large is released`() {
        _ = encode(chosen: 20)
        let sizes = [5000, 5000, 5000, Self.limit, 5000, 5000, 5000, 5000]
        var held: [Int?] = []
        for size in sizes { held.append(encode(size: size)) }
        let released = encode(15, chosen: 27)
        let next = encode()
        #expect(held == Array(repeating: 20, count: 8) && released == Array(repeating: nil, count: 15) && next == 27)
    }

    @Test mutating func `the size of a large frame follows the bitrate`() {
        hold.setBitrate(3600)
        _ = encode(chosen: 20)
        let held = encode(8, size: 4 * Self.limit)
        #expect(held == Array(repeating: 20, count: 8))
    }

    @Test(arguments: [(20, 20), (19, 20), (21, nil)])
    mutating func `a keyframe that is as sharp as the frames before it needs no step`(
        keyframe: Int, next: Int?
    ) {
        // The first keyframe of a picture is x264's.
        let first = encode(isIDR: true, chosen: 25)
        _ = encode(2, chosen: 20)
        // Also after frames that only become sharper.
        _ = encode(rows: 0, chosen: 21)
        let target = encode(isIDR: true, size: 50_000, chosen: keyframe)
        let following = encode()
        #expect(first == nil && target == 20 && following == next)
    }

    @Test mutating func `a keyframe does not get the QP of another picture`() {
        _ = encode(rows: 360, isIDR: true)
        _ = encode(2, chosen: 20)
        let changed = encode(rows: 360, isIDR: true)
        #expect(changed == nil)
        _ = encode(2, chosen: 20)
        _ = encode(rows: 360)
        _ = encode(2, chosen: 20)
        // No keyframe shows this picture yet.
        let unknown = encode(isIDR: true)
        #expect(unknown == nil)
    }
}
