import Media
import Mix
import TestPatterns
import Testing

@Suite struct FrameComposerTests {
    /// A picture with the frame's size, odd sizes, and scaled pictures with borders.
    static let layouts: [(PixelSize, PixelSize)] = [
        (PixelSize(width: 320, height: 192), PixelSize(width: 320, height: 192)),
        (PixelSize(width: 331, height: 203), PixelSize(width: 330, height: 202)),
        (PixelSize(width: 640, height: 400), PixelSize(width: 320, height: 240)),
        (PixelSize(width: 321, height: 201), PixelSize(width: 480, height: 480)),
        (PixelSize(width: 101, height: 75), PixelSize(width: 640, height: 360)),
        // 3:2, 4:3, 8:3, 3:1, 5:4, 9:4, and 6:5, which is not exact.
        (PixelSize(width: 480, height: 360), PixelSize(width: 320, height: 240)),
        (PixelSize(width: 320, height: 240), PixelSize(width: 240, height: 180)),
        (PixelSize(width: 512, height: 256), PixelSize(width: 192, height: 96)),
        (PixelSize(width: 480, height: 288), PixelSize(width: 160, height: 96)),
        (PixelSize(width: 320, height: 240), PixelSize(width: 256, height: 192)),
        (PixelSize(width: 576, height: 324), PixelSize(width: 256, height: 144)),
        (PixelSize(width: 384, height: 288), PixelSize(width: 320, height: 240)),
        // Borders, and another ratio of widths than of heights.
        (PixelSize(width: 480, height: 360), PixelSize(width: 400, height: 240)),
        (PixelSize(width: 322, height: 240), PixelSize(width: 220, height: 160)),
    ]

    @Test(arguments: layouts, [1, 2, 3] as [UInt64])
    func `partial updates result in the same frame as the whole picture`(layout: (PixelSize, PixelSize), seed: UInt64)
        throws
    {
        try expectWholePictures(layout: layout, chroma: .yuv420, seed: seed)
    }

    @Test(arguments: layouts, [1, 2] as [UInt64])
    func `with 4 4 4, partial updates result in the same frame as the whole picture`(
        layout: (PixelSize, PixelSize), seed: UInt64
    ) throws {
        try expectWholePictures(layout: layout, chroma: .yuv444, seed: seed)
    }

    private func expectWholePictures(layout: (PixelSize, PixelSize), chroma: ChromaFormat, seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var screen = Screen(size: layout.0)
        var composer = FrameComposer(outputSize: layout.1, chroma: chroma)
        var shown: [UInt8] = []
        var held: [(frame: PixelBuffer, bytes: [UInt8])] = []
        for update in 0..<120 {
            let damage = update == 0 ? DamageRegion.whole(layout.0) : screen.change(using: &random)
            let composed = composer.compose(screen.sample(damage: damage, at: update))
            var reference = FrameComposer(outputSize: layout.1, chroma: chroma)
            let whole = picture(in: reference.compose(screen.sample(damage: .whole(layout.0), at: update)))
            let expected = bytes(of: try #require(whole).frame)
            if let composed {
                let (frame, changed) = try #require(picture(in: composed))
                let now = bytes(of: frame)
                #expect(composed.presentationTime == MediaTime(value: Int64(update), timescale: 30))
                guard now == expected else {
                    Issue.record(
                        "update \(update): \(differences(now, expected)) bytes differ from the whole picture's")
                    return
                }
                let missed = update == 0 ? nil : firstChange(from: shown, to: now, chroma: chroma, outside: changed)
                guard missed == nil else {
                    Issue.record(
                        "update \(update): pixel \(missed ?? (0, 0)) changed outside of the damage \(changed.rectangles) from \(damage.rectangles)"
                    )
                    return
                }
                shown = now
                // Hold more frames than the pool has at first, and release them in another order.
                held.append((frame, now))
                if held.count > 5 { held.remove(at: Int.random(in: 0..<held.count, using: &random)) }
                if update % 40 == 39 { held.removeAll() }
            } else if shown != expected {
                Issue.record("update \(update): no frame, but the picture changed at \(damage.rectangles)")
                return
            }
            for (frame, kept) in held where bytes(of: frame) != kept {
                Issue.record("update \(update): a frame that is held was written again")
                return
            }
        }
    }

    @Test func `drawing the same pixels again produces no frame`() {
        let size = PixelSize(width: 320, height: 192)
        var screen = Screen(size: size)
        var composer = FrameComposer(outputSize: size)
        var isComposed = (0..<2).map { composer.compose(screen.sample(damage: .whole(size), at: $0)) != nil }
        #expect(isComposed == [true, false])
        screen.fill(PixelRect(x: 40, y: 40, width: 20, height: 20), value: 200)
        isComposed = (2..<4).map { composer.compose(screen.sample(damage: .whole(size), at: $0)) != nil }
        #expect(isComposed == [true, false])
        let untouched = composer.compose(screen.sample(damage: DamageRegion(size: size), at: 4))
        #expect(untouched == nil)
    }

    @Test func `two frames suffice, also if programs draw the same pixels again`() throws {
        var composer = FrameComposer(outputSize: PixelSize(width: 320, height: 192))
        var screen = Screen(size: composer.outputSize)
        var made: Set<ObjectIdentifier> = []
        // As an encoder does, which keeps its last frame.
        var held: PixelBuffer?
        for update in 0..<20 {
            if update % 3 == 0 { screen.fill(PixelRect(x: 0, y: 0, width: 16, height: 16), value: UInt8(update)) }
            let composed = composer.compose(screen.sample(damage: .whole(screen.size), at: update))
            #expect((composed == nil) == (update % 3 != 0), "update \(update)")
            guard let frame = picture(in: composed)?.frame else { continue }
            made.insert(ObjectIdentifier(frame))
            held = frame
            var reference = FrameComposer(outputSize: composer.outputSize)
            let whole = try #require(
                picture(in: reference.compose(screen.sample(damage: .whole(screen.size), at: update))))
            #expect(bytes(of: frame) == bytes(of: whole.frame), "update \(update)")
        }
        #expect(made.count == 2 && held != nil)
    }

    @Test func `a frame that a slow encoder needed is released later`() throws {
        var composer = FrameComposer(outputSize: PixelSize(width: 320, height: 192))
        var screen = Screen(size: composer.outputSize)
        func next(_ update: Int) throws -> PixelBuffer {
            let change = PixelRect(x: update % 10 * 16, y: 32, width: 16, height: 16)
            screen.fill(change, value: UInt8(truncatingIfNeeded: update))
            var damage = DamageRegion(size: screen.size)
            damage.add(change)
            let composed = composer.compose(
                screen.sample(damage: update == 0 ? .whole(screen.size) : damage, at: update))
            return try #require(picture(in: composed)).frame
        }
        // An encoder that still has two frames when the third is made.
        var held: [PixelBuffer] = []
        for update in 0..<4 { held.append(try next(update)) }
        weak let surplus = held[3]
        let made = Set(held.map(ObjectIdentifier.init))
        #expect(made.count == 4)
        held = []
        var frame: PixelBuffer?
        for update in 4..<600 { frame = try next(update) }
        #expect(surplus == nil, "the frame is still there")
        // The frame is right after the removal too.
        var reference = FrameComposer(outputSize: composer.outputSize)
        let composed = reference.compose(screen.sample(damage: .whole(screen.size), at: 600))
        #expect(bytes(of: try #require(frame)) == bytes(of: try #require(picture(in: composed)).frame))
    }

    @Test func `the frames that waiting packets needed are released together`() throws {
        var composer = FrameComposer(outputSize: PixelSize(width: 320, height: 192))
        var screen = Screen(size: composer.outputSize)
        var held: [PixelBuffer] = []
        func next(_ update: Int) throws -> PixelBuffer {
            screen.fill(PixelRect(x: 16, y: 32, width: 16, height: 16), value: UInt8(truncatingIfNeeded: update * 37))
            return try #require(picture(in: composer.compose(screen.sample(damage: .whole(screen.size), at: update))))
                .frame
        }
        for update in 0..<12 { held.append(try next(update)) }
        let made = held.map(Weak.init)
        held = []
        for update in 12..<220 { _ = try next(update) }
        #expect(made.filter { $0.frame != nil }.count <= 2)
    }

    private struct Weak {
        weak var frame: PixelBuffer?
        init(_ frame: PixelBuffer) { self.frame = frame }
    }

    @Test func `the resulting damage is the macroblocks that changed`() throws {
        let size = PixelSize(width: 320, height: 192)
        var screen = Screen(size: size)
        var composer = FrameComposer(outputSize: size)
        let first = picture(in: composer.compose(screen.sample(damage: .whole(size), at: 0)))
        #expect(first?.damage.isWhole == true)
        screen.fill(PixelRect(x: 50, y: 70, width: 4, height: 4), value: 200)
        let second = picture(in: composer.compose(screen.sample(damage: .whole(size), at: 1)))
        #expect(second?.damage.rectangles == [PixelRect(x: 48, y: 64, width: 16, height: 16)])
    }

    @Test(arguments: [PixelSize(width: 320, height: 192), PixelSize(width: 160, height: 96)])
    func `what a patch shows beyond the damage is a change`(output: PixelSize) throws {
        let size = PixelSize(width: 320, height: 192)
        var screen = Screen(size: size)
        var composer = FrameComposer(outputSize: output)
        _ = composer.compose(screen.sample(damage: .whole(size), at: 0))
        let (reported, later) = (
            PixelRect(x: 20, y: 20, width: 4, height: 4), PixelRect(x: 200, y: 100, width: 4, height: 4)
        )
        screen.fill(reported, value: 200)
        screen.fill(later, value: 220)
        // The patch is the whole picture, and the server reported only the first change so far.
        guard case .picture(let whole) = screen.sample(damage: .whole(size), at: 1).payload else {
            Issue.record("the sample has no picture")
            return
        }
        var damage = DamageRegion(size: size)
        damage.add(reported)
        let sample = SampleBuffer(
            track: .screen, presentationTime: MediaTime(value: 1, timescale: 30),
            payload: .picture(Picture(size: size, patches: whole.patches, damage: damage)))
        let first = try #require(picture(in: composer.compose(sample)))
        let scale = size.width / output.width
        #expect(first.damage.covers(PixelRect(x: later.x / scale, y: later.y / scale, width: 1, height: 1)))
        var next = DamageRegion(size: size)
        next.add(later)
        let second = composer.compose(screen.sample(damage: next, at: 2))
        #expect(second == nil)
    }

    @Test func `a new picture size redraws the whole frame and keeps the output size`() throws {
        let output = PixelSize(width: 320, height: 192)
        var composer = FrameComposer(outputSize: output)
        var update = 0
        let sizes = [(320, 192), (192, 320), (320, 192), (640, 384), (321, 193), (320, 100), (320, 192)]
        for (width, height) in sizes {
            let size = PixelSize(width: width, height: height)
            var random = SplitMix64(state: UInt64(width * height))
            var screen = Screen(size: size)
            _ = screen.change(using: &random)
            let anew = picture(in: composer.compose(screen.sample(damage: .whole(size), at: update)))
            let composed = try #require(anew, "\(size)")
            #expect(composed.damage.isWhole, "\(size)")
            #expect(composed.frame.size == output)
            for _ in 0..<5 {
                update += 1
                let damage = screen.change(using: &random)
                guard let now = picture(in: composer.compose(screen.sample(damage: damage, at: update))) else {
                    continue
                }
                var fresh = FrameComposer(outputSize: output)
                let expected = picture(in: fresh.compose(screen.sample(damage: .whole(size), at: 0)))
                let isEqual = try bytes(of: now.frame) == bytes(of: #require(expected).frame)
                #expect(isEqual, "\(size), update \(update)")
            }
            update += 1
        }
    }

    @Test(arguments: [(640, 480), (100, 400), (3, 300)]) func `the borders around a scaled picture are black`(
        width: Int, height: Int
    ) throws {
        let output = PixelSize(width: 320, height: 180)
        let size = PixelSize(width: width, height: height)
        var composer = FrameComposer(outputSize: output)
        var random = SplitMix64(state: 4)
        var screen = Screen(size: size)
        screen.fill(PixelRect(size), value: 255)
        let content = Letterbox(source: size, output: output).content
        #expect(content.x >= 30)
        for update in 0..<20 {
            let damage = update == 0 ? DamageRegion.whole(size) : screen.change(using: &random)
            guard let frame = picture(in: composer.compose(screen.sample(damage: damage, at: update)))?.frame else {
                continue
            }
            let pixels = bytes(of: frame)
            for y in 0..<180 {
                for x in Array(0..<content.x) + Array(content.maxX..<320) {
                    let chroma = 320 * 180 + y / 2 * 160 + x / 2
                    guard pixels[y * 320 + x] != 16 || pixels[chroma] != 128 || pixels[chroma + 160 * 90] != 128 else {
                        continue
                    }
                    Issue.record("update \(update): pixel (\(x), \(y)) of the border is not black")
                    return
                }
            }
            // libyuv's box filter rounds down.
            if update == 0 { #expect((234...235).contains(pixels[90 * 320 + content.x])) }
        }
    }

    @Test func `with 4 4 4, a scaled picture keeps its colours, and its borders are black`() throws {
        let size = PixelSize(width: 640, height: 480)
        var composer = FrameComposer(outputSize: PixelSize(width: 320, height: 180), chroma: .yuv444)
        var screen = Screen(size: size)
        // Red, which is 63, 102, 240 in BT.709.
        screen.fill(PixelRect(size), blue: 0, green: 0, red: 255)
        let frame = try #require(picture(in: composer.compose(screen.sample(damage: .whole(size), at: 0)))).frame
        #expect(frame.format == .i444)
        let pixels = bytes(of: frame)
        func sample(x: Int, y: Int) -> [Int] { (0..<3).map { Int(pixels[$0 * 320 * 180 + y * 320 + x]) } }
        for (x, y) in [(0, 0), (39, 90), (280, 90), (319, 179)] {
            #expect(sample(x: x, y: y) == [16, 128, 128], "(\(x), \(y))")
        }
        // libyuv's box filter rounds down.
        for (x, y) in [(40, 0), (160, 90), (279, 179)] {
            #expect(
                zip(sample(x: x, y: y), [63, 102, 240]).allSatisfy { abs($0 - $1) <= 1 },
                "(\(x), \(y)): \(sample(x: x, y: y))")
        }
    }

    @Test func `the 4 4 4 slate is grey in all planes`() throws {
        let frame = PrivacySlate.frame(size: PixelSize(width: 320, height: 180), chroma: .yuv444)
        #expect(frame.format == .i444)
        let pixels = bytes(of: frame)
        #expect(pixels.count == 320 * 180 * 3)
        #expect(pixels[320 * 180..<320 * 180 * 3].allSatisfy { $0 == 128 })
        #expect(pixels[0] == 40)
        #expect(pixels[90 * 320 + 150] == 180)
    }

    @Test(arguments: [PixelSize(width: 320, height: 192), PixelSize(width: 160, height: 96)])
    func `pixels that a source lends result in the same frame as those of buffers`(output: PixelSize) throws {
        let size = PixelSize(width: 320, height: 192)
        var random = SplitMix64(state: 8)
        var screen = Screen(size: size)
        var (lent, owned) = (FrameComposer(outputSize: output), FrameComposer(outputSize: output))
        for update in 0..<40 {
            let damage = update == 0 ? DamageRegion.whole(size) : screen.change(using: &random)
            let copied = picture(in: owned.compose(screen.sample(damage: damage, at: update)))
            let composed = picture(
                in: screen.lend(damage: damage, at: update) { sample in lent.compose(sample) })
            #expect(composed?.damage.rectangles == copied?.damage.rectangles, "update \(update)")
            guard let composed, let copied else { continue }
            let isEqual = bytes(of: composed.frame) == bytes(of: copied.frame)
            #expect(isEqual, "update \(update)")
        }
    }

    private func picture(in sample: SampleBuffer?) -> (frame: PixelBuffer, damage: DamageRegion)? {
        guard case .picture(let picture)? = sample?.payload, picture.patches.count == 1 else { return nil }
        return (picture.patches[0].pixels, picture.damage)
    }

    private func bytes(of frame: PixelBuffer) -> [UInt8] { frame.withUnsafeBytes { Array($0) } }

    private func differences(_ one: [UInt8], _ other: [UInt8]) -> Int {
        zip(one, other).reduce(0) { $0 + ($1.0 == $1.1 ? 0 : 1) }
    }

    /// Returns the first pixel that differs and is not in `region`, or nil. A chroma difference is reported at luma
    /// scale.
    private func firstChange(
        from old: [UInt8], to new: [UInt8], chroma: ChromaFormat, outside region: DamageRegion
    ) -> (x: Int, y: Int)? {
        let size = region.size
        let step = chroma == .yuv444 ? 1 : 2
        let planeSize = size.area / (step * step)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let chroma = size.area + y / step * (size.width / step) + x / step
                let differs =
                    old[y * size.width + x] != new[y * size.width + x] || old[chroma] != new[chroma]
                    || old[chroma + planeSize] != new[chroma + planeSize]
                if differs && !region.covers(PixelRect(x: x, y: y, width: 1, height: 1)) { return (x, y) }
            }
        }
        return nil
    }
}

/// The pixels of a desktop, which change by rectangles.
private struct Screen {
    let size: PixelSize
    private var pixels: [UInt8]

    init(size: PixelSize) {
        self.size = size
        pixels = (0..<size.area * 4).map { UInt8(truncatingIfNeeded: $0 / 7) }
    }

    mutating func fill(_ rectangle: PixelRect, value: UInt8) {
        for y in rectangle.y..<rectangle.maxY {
            for index in (y * size.width + rectangle.x) * 4..<(y * size.width + rectangle.maxX) * 4 {
                pixels[index] = value
            }
        }
    }

    mutating func fill(_ rectangle: PixelRect, blue: UInt8, green: UInt8, red: UInt8) {
        for y in rectangle.y..<rectangle.maxY {
            for x in rectangle.x..<rectangle.maxX {
                let index = (y * size.width + x) * 4
                pixels.replaceSubrange(index..<index + 3, with: [blue, green, red])
            }
        }
    }

    /// Paints rectangles with one value, with noise, or without a change, and returns the damage that an X server would
    /// report.
    mutating func change(using random: inout SplitMix64) -> DamageRegion {
        var damage = DamageRegion(size: size)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let width = Int.random(in: 1...max(1, size.width / 3), using: &random)
            let height = Int.random(in: 1...max(1, size.height / 3), using: &random)
            let rectangle = PixelRect(
                x: Int.random(in: 0...size.width - width, using: &random),
                y: Int.random(in: 0...size.height - height, using: &random), width: width,
                height: height)
            damage.add(rectangle)
            switch Int.random(in: 0...2, using: &random) {
            case 0: fill(rectangle, value: UInt8.random(in: 0...255, using: &random))
            case 1:
                for y in rectangle.y..<rectangle.maxY {
                    for index in (y * size.width + rectangle.x) * 4..<(y * size.width + rectangle.maxX) * 4 {
                        pixels[index] = UInt8.random(in: 0...255, using: &random)
                    }
                }
            default: break
            }
        }
        return damage
    }

    /// Lends the pixels of the whole screen, with patches as in `sample`.
    func lend<Result>(damage: DamageRegion, at tick: Int, _ body: (CapturedSample) -> Result) -> Result {
        let patches = damage.rectangles.map { rectangle in
            let area = rectangle.alignedToChroma.intersection(PixelRect(size))
            return CapturedPatch(area, offset: (area.y * size.width + area.x) * 4, stride: size.width * 4)
        }
        let change = CapturedChange(
            size: size, at: MediaTime(value: Int64(tick), timescale: 30), patches: patches, damage: damage)
        return pixels.withUnsafeBytes { body(.lent(change, $0.bytes)) }
    }

    /// Returns patches with even edges around the damage, like the capture code.
    func sample(damage: DamageRegion, at tick: Int) -> SampleBuffer {
        let patches = damage.rectangles.map { rectangle -> Picture.Patch in
            let area = rectangle.alignedToChroma.intersection(PixelRect(size))
            let buffer = PixelBuffer(format: .bgra, size: area.size)
            buffer.withUnsafeMutableBytes { target in
                for row in 0..<area.height {
                    let start = ((area.y + row) * size.width + area.x) * 4
                    UnsafeMutableRawBufferPointer(rebasing: target[(row * buffer.stride)...]).copyBytes(
                        from: pixels[start..<start + area.width * 4])
                }
            }
            return Picture.Patch(x: area.x, y: area.y, pixels: buffer)
        }
        return SampleBuffer(
            track: .screen, presentationTime: MediaTime(value: Int64(tick), timescale: 30),
            payload: .picture(Picture(size: size, patches: patches, damage: damage)))
    }
}
