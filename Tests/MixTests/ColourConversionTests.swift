import CPixelKernels
import CYUV
import Media
import Mix
import TestPatterns
import Testing

/// Compares Rec. ITU-R BT.709-6, limited range, with a floating-point reference, and each implementation with the
/// portable one.
@Suite struct ColourConversionTests {
    /// The eight bars at 75 % and at 100 % (SMPTE RP 219), with their 8-bit BT.709 values.
    static let bars: [(Pixel, YUV)] = [
        (Pixel(191, 191, 191), YUV(180, 128, 128)), (Pixel(191, 191, 0), YUV(168, 44, 136)),
        (Pixel(0, 191, 191), YUV(145, 147, 44)),
        (Pixel(0, 191, 0), YUV(133, 63, 52)), (Pixel(191, 0, 191), YUV(63, 193, 204)),
        (Pixel(191, 0, 0), YUV(51, 109, 212)),
        (Pixel(0, 0, 191), YUV(28, 212, 120)), (Pixel(0, 0, 0), YUV(16, 128, 128)),
        (Pixel(255, 255, 255), YUV(235, 128, 128)), (Pixel(255, 255, 0), YUV(219, 16, 138)),
        (Pixel(0, 255, 255), YUV(188, 154, 16)),
        (Pixel(0, 255, 0), YUV(173, 42, 26)), (Pixel(255, 0, 255), YUV(78, 214, 230)),
        (Pixel(255, 0, 0), YUV(63, 102, 240)),
        (Pixel(0, 0, 255), YUV(32, 240, 118)),
    ]

    @Test(arguments: bars) func `a colour bar has its BT.709 values`(colour: Pixel, expected: YUV) {
        let result = Self.convert(colour)
        #expect(result.isWithin(1, of: expected), "\(result)")
        #expect(result.isWithin(1, of: Self.reference(colour)), "\(result)")
    }

    @Test func `every grey has its BT.709 luma and neutral chroma`() {
        for grey in UInt8.min...UInt8.max {
            let result = Self.convert(Pixel(grey, grey, grey))
            guard !result.isWithin(1, of: Self.reference(Pixel(grey, grey, grey))) || result.u != 128 || result.v != 128
            else { continue }
            Issue.record("grey \(grey) becomes \(result)")
        }
        #expect(Self.convert(Pixel(0, 0, 0)) == YUV(16, 128, 128))
        #expect(Self.convert(Pixel(255, 255, 255)) == YUV(235, 128, 128))
    }

    @Test func `every colour is within one step of the reference`() {
        for red in stride(from: 0, through: 255, by: 15) {
            for green in stride(from: 0, through: 255, by: 15) {
                for blue in stride(from: 0, through: 255, by: 15) {
                    let colour = Pixel(UInt8(red), UInt8(green), UInt8(blue))
                    let result = Self.convert(colour)
                    guard !result.isWithin(1, of: Self.reference(colour)) else { continue }
                    Issue.record("\(colour) becomes \(result) in the place of \(Self.reference(colour))")
                    return
                }
            }
        }
    }

    @Test func `chroma is the average of 2 x 2 pixels`() {
        // Red and blue in the first row, black and white in the second.
        let pixels = bgra([Pixel(255, 0, 0), Pixel(0, 0, 255), Pixel(0, 0, 0), Pixel(255, 255, 255)], width: 2)
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 2, height: 2))
        ColourConversion.convert(.init(x: 0, y: 0, pixels: pixels), into: frame)
        let bytes = frame.withUnsafeBytes { Array($0) }
        // The mean colour is (127.5, 63.75, 127.5).
        let expected: [Int] = [63, 32, 16, 235, 150, 153]
        for (index, value) in bytes.enumerated() {
            #expect(abs(Int(value) - expected[index]) <= 1, "byte \(index) of \(bytes)")
        }
    }

    @Test(arguments: 1...4) func `the fast kernel and the portable one agree at any width and offset`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for width in stride(from: 2, through: 140, by: 2) {
            for height in [2, 4, 6] {
                let offset = Int.random(in: 0...9, using: &random)
                let sourceStride = (width + Int.random(in: 0...9, using: &random)) * 4
                let source = (0..<offset * 4 + sourceStride * height).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let layout = Layout(
                    width: width, height: height, padding: Int.random(in: 0...5, using: &random), lead: offset)
                let fast = layout.run { y, u, v in
                    source.withUnsafeBytes {
                        pixel_kernels_bgra_to_i420(
                            bytes($0) + offset * 4, sourceStride, y, layout.stride, u, v, layout.chromaStride,
                            Int32(width), Int32(height))
                    }
                }
                let portable = layout.run { y, u, v in
                    source.withUnsafeBytes {
                        pixel_kernels_bgra_to_i420_portable(
                            bytes($0) + offset * 4, sourceStride, y, layout.stride, u, v, layout.chromaStride,
                            Int32(width), Int32(height))
                    }
                }
                guard fast != portable else { continue }
                Issue.record("seed \(seed): \(width)x\(height) at offset \(offset) differs")
                return
            }
        }
    }

    @Test func `both kernels agree for the extreme values of every channel`() {
        var random = SplitMix64(state: 9)
        let source = (0..<64 * 4 * 64).map { _ in [UInt8(0), 1, 127, 128, 254, 255].randomElement(using: &random) ?? 0 }
        let layout = Layout(width: 64, height: 64, padding: 0, lead: 0)
        let fast = layout.run { y, u, v in
            source.withUnsafeBytes {
                pixel_kernels_bgra_to_i420(bytes($0), 256, y, layout.stride, u, v, layout.chromaStride, 64, 64)
            }
        }
        let portable = layout.run { y, u, v in
            source.withUnsafeBytes {
                pixel_kernels_bgra_to_i420_portable(bytes($0), 256, y, layout.stride, u, v, layout.chromaStride, 64, 64)
            }
        }
        let isEqual = fast == portable
        #expect(isEqual)
    }

    /// A patch, and the area of even pixels inside it that can be written.
    static let patches: [(PixelRect, PixelRect)] = [
        (PixelRect(x: 4, y: 6, width: 8, height: 4), PixelRect(x: 4, y: 6, width: 8, height: 4)),
        (PixelRect(x: 3, y: 5, width: 10, height: 6), PixelRect(x: 4, y: 6, width: 8, height: 4)),
        (PixelRect(x: 3, y: 5, width: 9, height: 5), PixelRect(x: 4, y: 6, width: 8, height: 4)),
        (PixelRect(x: 5, y: 7, width: 2, height: 2), PixelRect(x: 6, y: 8, width: 0, height: 0)),
        (PixelRect(x: 60, y: 40, width: 9, height: 9), PixelRect(x: 60, y: 40, width: 4, height: 8)),
        (PixelRect(x: 0, y: 0, width: 65, height: 49), PixelRect(x: 0, y: 0, width: 64, height: 48)),
        (PixelRect(x: 70, y: 4, width: 4, height: 4), PixelRect(x: 64, y: 4, width: 0, height: 4)),
    ]

    @Test(arguments: patches) func `odd edges of a patch are moved inwards, and other pixels do not change`(
        patch: PixelRect, written: PixelRect
    ) {
        let size = PixelSize(width: 64, height: 48)
        let frame = PixelBuffer(format: .i420, size: size)
        _ = frame.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 77) }
        let pixels = PixelBuffer(format: .bgra, size: patch.size)
        _ = pixels.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 255) }
        ColourConversion.convert(.init(x: patch.x, y: patch.y, pixels: pixels), into: frame)
        let bytes = frame.withUnsafeBytes { Array($0) }
        var wrong = 0
        for y in 0..<48 {
            for x in 0..<64 {
                let isInside = written.contains(PixelRect(x: x, y: y, width: 1, height: 1))
                if bytes[y * 64 + x] != (isInside ? 235 : 77) { wrong += 1 }
                let chroma = 64 * 48 + y / 2 * 32 + x / 2
                if bytes[chroma] != (isInside ? 128 : 77) || bytes[chroma + 32 * 24] != (isInside ? 128 : 77) {
                    wrong += 1
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test(.enabled(if: isOptimised, "speed is measured in release builds"))
    func `the conversion takes at most 1.5 times as long as libyuv's`() {
        let size = PixelSize(width: 1920, height: 1080)
        var random = SplitMix64(state: 3)
        let pixels = PixelBuffer(format: .bgra, size: size)
        pixels.withUnsafeMutableBytes { bytes in
            for index in stride(from: 0, to: bytes.count, by: 8) {
                bytes.storeBytes(of: random.next(), toByteOffset: index, as: UInt64.self)
            }
        }
        let frame = PixelBuffer(format: .i420, size: size)
        let patch = Picture.Patch(x: 0, y: 0, pixels: pixels)
        var ratios: [Double] = []
        // Other processes can slow down a run, so one of ten runs must meet the limit.
        while ratios.count < 10 {
            var ours: [Duration] = []
            var theirs: [Duration] = []
            for _ in 0..<15 {
                ours.append(ContinuousClock().measure { ColourConversion.convert(patch, into: frame) })
                theirs.append(ContinuousClock().measure { Self.convertWithLibyuv(pixels, into: frame) })
            }
            ratios.append(ours.sorted()[7] / theirs.sorted()[7])
            if let last = ratios.last, last <= 1.5 { break }
        }
        #expect(ratios.min() ?? .infinity <= 1.5, "ratios of medians: \(ratios)")
    }

    private static func convertWithLibyuv(_ pixels: PixelBuffer, into frame: PixelBuffer) {
        let offsets = frame.planeOffsets
        pixels.withUnsafeBytes { source in
            frame.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return }
                // In memory, libyuv's "ARGB" is blue, green, red, alpha.
                _ = ARGBToI420(
                    from, Int32(pixels.stride), to + offsets.y, Int32(frame.stride), to + offsets.u,
                    Int32(frame.chromaStride), to + offsets.v,
                    Int32(frame.chromaStride), Int32(pixels.size.width), Int32(pixels.size.height))
            }
        }
    }

    private static let isOptimised: Bool = {
        var isDebug = false
        assert(
            {
                isDebug = true
                return true
            }())
        return !isDebug
    }()

    /// Converts one colour.
    private static func convert(_ colour: Pixel) -> YUV {
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 2, height: 2))
        ColourConversion.convert(
            .init(x: 0, y: 0, pixels: bgra([colour, colour, colour, colour], width: 2)), into: frame)
        return frame.withUnsafeBytes { YUV($0[0], $0[4], $0[5]) }
    }

    /// Rec. ITU-R BT.709-6, 3.2 to 3.5, with 8 bits.
    private static func reference(_ colour: Pixel) -> YUV {
        let red = Double(colour.red) / 255
        let green = Double(colour.green) / 255
        let blue = Double(colour.blue) / 255
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        return YUV(
            UInt8((16 + 219 * luma).rounded()), UInt8((128 + 224 * (blue - luma) / 1.8556).rounded()),
            UInt8((128 + 224 * (red - luma) / 1.5748).rounded()))
    }
}

/// The same tests for I444, which has chroma for each pixel.
@Suite struct FullChromaConversionTests {
    @Test(arguments: ColourConversionTests.bars) func `a colour bar has exactly its BT.709 values`(
        colour: Pixel, expected: YUV
    ) {
        #expect(Self.convert([colour], width: 1) == [expected])
    }

    @Test func `every grey has neutral chroma`() {
        let greys = Self.convert((0...255).map { Pixel($0, $0, $0) }, width: 256)
        #expect(greys.allSatisfy { $0.u == 128 && $0.v == 128 })
        #expect(greys.first?.y == 16 && greys.last?.y == 235)
    }

    @Test func `a round trip changes a colour by less than two of 255`() {
        let steps = Array(stride(from: 0, through: 255, by: 5)).map { UInt8($0) }
        let colours = steps.flatMap { red in steps.flatMap { green in steps.map { Pixel(red, green, $0) } } }
        let errors = zip(colours, Self.convert(colours, width: steps.count)).map { colour, result in
            // The inverse of Rec. ITU-R BT.709-6, 3.2 to 3.5.
            let luma = (Double(result.y) - 16) / 219
            let red = luma + 1.5748 * (Double(result.v) - 128) / 224
            let blue = luma + 1.8556 * (Double(result.u) - 128) / 224
            let green = (luma - 0.2126 * red - 0.0722 * blue) / 0.7152
            return zip([red, green, blue], [colour.red, colour.green, colour.blue]).map { abs($0 * 255 - Double($1)) }
                .max() ?? 0
        }
        #expect(errors.count == 52 * 52 * 52)
        #expect(errors.max() ?? 255 < 2)
    }

    @Test func `adjacent pixels do not affect each other`() {
        let row = Self.convert([Pixel(255, 0, 0), Pixel(0, 0, 255), Pixel(255, 255, 255), Pixel(0, 255, 0)], width: 4)
        #expect(row == [YUV(63, 102, 240), YUV(32, 240, 118), YUV(235, 128, 128), YUV(173, 42, 26)])
    }

    @Test func `the width does not affect the result, and other pixels do not change`() {
        var random = SplitMix64(state: 5)
        let colours = (0..<140).map { _ in
            Pixel(
                .random(in: 0...255, using: &random), .random(in: 0...255, using: &random),
                .random(in: 0...255, using: &random))
        }
        let single = colours.flatMap { Self.convert([$0], width: 1) }
        for width in 1...140 {
            let offset = width % 5
            let frame = PixelBuffer(format: .i444, size: PixelSize(width: width + 10, height: 3))
            _ = frame.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 77) }
            ColourConversion.convert(
                .init(x: offset, y: 1, pixels: bgra(Array(colours[..<width]), width: width)), into: frame)
            let pixels = Self.pixels(of: frame)
            let untouched = YUV(77, 77, 77)
            let blank = [YUV](repeating: untouched, count: width + 10)
            let row = blank[..<offset] + single[..<width] + blank[..<(10 - offset)]
            let isRight = pixels == blank + row + blank
            #expect(isRight, "width \(width)")
        }
    }

    @Test func `pixels outside the frame are ignored`() {
        let frame = PixelBuffer(format: .i444, size: PixelSize(width: 4, height: 2))
        frame.fillBlack()
        let white = Pixel(255, 255, 255)
        ColourConversion.convert(.init(x: 3, y: 1, pixels: bgra([white, white, white, white], width: 2)), into: frame)
        ColourConversion.convert(.init(x: 4, y: 0, pixels: bgra([white], width: 1)), into: frame)
        let pixels = Self.pixels(of: frame)
        #expect(pixels == [YUV](repeating: YUV(16, 128, 128), count: 7) + [YUV(235, 128, 128)])
    }

    @Test func `chroma is doubled from I420 to I444 and averaged from I444 to I420`() {
        let small = PixelBuffer(format: .i420, size: PixelSize(width: 4, height: 2))
        small.withUnsafeMutableBytes { $0.copyBytes(from: [1, 2, 3, 4, 5, 6, 7, 8, 50, 90, 60, 70] as [UInt8]) }
        let frame = PixelBuffer(format: .i444, size: PixelSize(width: 8, height: 4))
        frame.fillBlack()
        ColourConversion.place(.init(x: 2, y: 2, pixels: small), into: frame)
        let black = YUV(16, 128, 128)
        let expected =
            [YUV](repeating: black, count: 16)
            + [black, black, YUV(1, 50, 60), YUV(2, 50, 60), YUV(3, 90, 70), YUV(4, 90, 70), black, black]
            + [black, black, YUV(5, 50, 60), YUV(6, 50, 60), YUV(7, 90, 70), YUV(8, 90, 70), black, black]
        #expect(Self.pixels(of: frame) == expected)
        let back = PixelBuffer(format: .i420, size: PixelSize(width: 8, height: 4))
        ColourConversion.place(.init(x: 0, y: 0, pixels: frame), into: back)
        let bytes = back.withUnsafeBytes { Array($0) }
        #expect(Array(bytes[..<32]) == expected.map(\.y))
        #expect(Array(bytes[32...]) == [128, 128, 128, 128, 128, 50, 90, 128, 128, 128, 128, 128, 128, 60, 70, 128])
    }

    /// Converts rows of `width` colours.
    private static func convert(_ colours: [Pixel], width: Int) -> [YUV] {
        let frame = PixelBuffer(format: .i444, size: PixelSize(width: width, height: colours.count / width))
        ColourConversion.convert(.init(x: 0, y: 0, pixels: bgra(colours, width: width)), into: frame)
        return pixels(of: frame)
    }

    private static func pixels(of frame: PixelBuffer) -> [YUV] {
        let area = frame.size.area
        return frame.withUnsafeBytes { bytes in
            (0..<area).map { YUV(bytes[$0], bytes[area + $0], bytes[2 * area + $0]) }
        }
    }
}

/// An sRGB colour.
struct Pixel: Sendable, CustomTestStringConvertible {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    var testDescription: String { "RGB \(red), \(green), \(blue)" }
}

/// One luma and two chroma samples.
struct YUV: Equatable, Sendable {
    let y: UInt8
    let u: UInt8
    let v: UInt8

    init(_ y: UInt8, _ u: UInt8, _ v: UInt8) {
        self.y = y
        self.u = u
        self.v = v
    }

    func isWithin(_ steps: Int, of other: YUV) -> Bool {
        abs(Int(y) - Int(other.y)) <= steps && abs(Int(u) - Int(other.u)) <= steps
            && abs(Int(v) - Int(other.v)) <= steps
    }
}

private func bgra(_ pixels: [Pixel], width: Int) -> PixelBuffer {
    let buffer = PixelBuffer(format: .bgra, size: PixelSize(width: width, height: pixels.count / width))
    buffer.withUnsafeMutableBytes { $0.copyBytes(from: pixels.flatMap { [$0.blue, $0.green, $0.red, 0] }) }
    return buffer
}

private func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
    guard let base = buffer.baseAddress else { preconditionFailure("an empty picture") }
    return base.assumingMemoryBound(to: UInt8.self)
}

/// The output memory of a kernel: three planes with padding after their rows, which must keep its value.
private struct Layout {
    let height: Int
    let stride: Int
    let chromaStride: Int
    let lead: Int

    init(width: Int, height: Int, padding: Int, lead: Int) {
        self.height = height
        self.lead = lead
        stride = width + padding
        chromaStride = width / 2 + padding
    }

    /// Returns all bytes after `body` wrote: guard bytes, Y, U, V.
    func run(_ body: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void)
        -> [UInt8]
    {
        let luma = stride * height
        let chroma = chromaStride * height / 2
        var memory = [UInt8](repeating: 0xA5, count: lead + luma + chroma + chroma + 3 * 64)
        memory.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            body(base + lead, base + lead + luma + 64, base + lead + luma + chroma + 128)
        }
        return memory
    }
}
