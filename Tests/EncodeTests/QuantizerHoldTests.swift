import Encode
import Media
import Testing

@Suite struct QuantizerHoldTests {
    private static let size = PixelSize(width: 640, height: 360)
    private var hold = QuantizerHold(kilobits: 900, frameRate: 30)
    /// A third of the bytes of a frame at this bitrate.
    private static let limit = 1250

    /// The QP that is held for a frame in which `rows` of 360 rows changed.
    private mutating func quantizer(rows: Int = 20, isIDR: Bool = false, level: Double = 0.7) -> Int? {
        var region = DamageRegion(size: Self.size)
        if rows > 0 { region.add(PixelRect(x: 0, y: 0, width: Self.size.width, height: rows)) }
        return hold.quantizer(changed: region, isIDR: isIDR, level: level)
    }

    /// Lets x264 choose `quantizer` for a small change, so that it is held.
    private mutating func choose(_ quantizer: Int, level: Double = 0.7) {
        let held = self.quantizer(level: level)
        #expect(held == nil)
        hold.note(size: 20_000, quantizer: quantizer)
    }

    @Test mutating func `the QP of a small change is held until a keyframe or a large change`() {
        for (rows, isIDR) in [(20, true), (360, false), (23, false)] {
            choose(20)
            let small = (0..<40).map { _ in
                defer { hold.note(size: 500, quantizer: 20) }
                return quantizer(rows: 22)
            }
            #expect(small == Array(repeating: 20, count: 40) && hold.current == 20)
            let large = quantizer(rows: rows, isIDR: isIDR)
            #expect(large == nil && hold.current == nil)
            hold.note(size: 20_000, quantizer: 24)
        }
    }

    @Test mutating func `a frame that only becomes sharper does not end it`() {
        choose(20)
        let refined = quantizer(rows: 0)
        hold.note(size: 9000, quantizer: 15)
        let next = quantizer()
        #expect(refined == nil && next == 20)
    }

    @Test mutating func `a full buffer lowers the QP, down to 11`() {
        choose(20)
        choose(14, level: 1)
        let between = quantizer(level: 0.94)
        #expect(between == 14)
        choose(11, level: 1)
        let lowest = quantizer(level: 1)
        #expect(lowest == 11)
    }

    @Test mutating func `x264 chooses for a while if it does not find a lower QP`() {
        choose(20)
        for _ in 0..<16 { choose(21, level: 1) }
        hold.note(size: 500, quantizer: 19)
        for _ in 0..<15 { _ = quantizer() }
        let found = quantizer()
        #expect(found == 19)
    }

    @Test mutating func `x264 chooses after a large frame while the buffer is almost empty`() {
        choose(20)
        let small = quantizer(level: 0.1)
        hold.note(size: Self.limit + 1, quantizer: 20)
        let empty = quantizer(level: 0.19)
        hold.note(size: 500, quantizer: 19)
        let filled = quantizer(level: 0.2)
        #expect(small == 20 && empty == nil && filled == 19)
    }

    @Test(arguments: [(20, 20), (19, 19), (21, nil)]) mutating func `a keyframe that is as sharp as the frames before it needs no step`(
        keyframe: Int, next: Int?
    ) {
        choose(20)
        _ = quantizer()
        let target = hold.current
        _ = quantizer(rows: 360, isIDR: true)
        hold.note(size: 50_000, quantizer: keyframe, target: target)
        let following = quantizer()
        #expect(target == 20 && following == next)
    }

    @Test mutating func `a QP at which four frames in a row are large is released`() {
        choose(20)
        for size in [5000, 5000, 5000, Self.limit, 5000, 5000, 5000, 5000] {
            let held = quantizer()
            #expect(held == 20)
            hold.note(size: size, quantizer: 20)
        }
        for _ in 0..<15 {
            let released = quantizer()
            #expect(released == nil)
        }
    }

    @Test mutating func `the size of a large frame follows the bitrate`() {
        hold.setBitrate(3600)
        choose(20)
        for _ in 0..<8 {
            let held = quantizer()
            #expect(held == 20)
            hold.note(size: 4 * Self.limit, quantizer: 20)
        }
    }
}
