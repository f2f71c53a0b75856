import Media
import Mix
import TestPatterns
import Testing

@Suite struct LetterboxTests {
    /// Source size, output size, and the position of the picture.
    static let layouts: [(PixelSize, PixelSize, PixelRect)] = [
        (
            PixelSize(width: 1920, height: 1080), PixelSize(width: 1920, height: 1080),
            PixelRect(x: 0, y: 0, width: 1920, height: 1080)
        ),
        (
            PixelSize(width: 1367, height: 769), PixelSize(width: 1366, height: 768),
            PixelRect(x: 0, y: 0, width: 1366, height: 768)
        ),
        (
            PixelSize(width: 3840, height: 2160), PixelSize(width: 1920, height: 1080),
            PixelRect(x: 0, y: 0, width: 1920, height: 1080)
        ),
        (
            PixelSize(width: 640, height: 480), PixelSize(width: 1920, height: 1080),
            PixelRect(x: 240, y: 0, width: 1440, height: 1080)
        ),
        (
            PixelSize(width: 3840, height: 1080), PixelSize(width: 1920, height: 1080),
            PixelRect(x: 0, y: 270, width: 1920, height: 540)
        ),
        (
            PixelSize(width: 1080, height: 1920), PixelSize(width: 1920, height: 1080),
            PixelRect(x: 656, y: 0, width: 608, height: 1080)
        ),
        (
            PixelSize(width: 2560, height: 1600), PixelSize(width: 1280, height: 720),
            PixelRect(x: 64, y: 0, width: 1152, height: 720)
        ),
    ]

    @Test(arguments: layouts) func `a picture is as large as possible, and centred`(
        source: PixelSize, output: PixelSize, content: PixelRect
    ) {
        #expect(Letterbox(source: source, output: output).content == content)
    }

    @Test func `only a picture with the frame's size maps pixel by pixel`() {
        #expect(
            Letterbox(source: PixelSize(width: 1920, height: 1080), output: PixelSize(width: 1920, height: 1080))
                .isIdentity)
        #expect(
            Letterbox(source: PixelSize(width: 1367, height: 769), output: PixelSize(width: 1366, height: 768))
                .isIdentity)
        #expect(
            !Letterbox(source: PixelSize(width: 1280, height: 720), output: PixelSize(width: 1920, height: 1080))
                .isIdentity)
        #expect(
            !Letterbox(source: PixelSize(width: 1920, height: 1080), output: PixelSize(width: 1920, height: 1200))
                .isIdentity)
    }

    @Test func `any picture is inside the frame, with even edges and its aspect ratio, and fills one dimension`() {
        var random = SplitMix64(state: 5)
        for _ in 0..<5000 {
            let source = PixelSize(
                width: Int.random(in: 2...5000, using: &random), height: Int.random(in: 2...5000, using: &random))
            let output = PixelSize(
                width: Int.random(in: 1...1920, using: &random) * 2,
                height: Int.random(in: 1...1080, using: &random) * 2)
            let content = Letterbox(source: source, output: output).content
            let even = source.roundedDownToEven
            let widthForHeight = Double(content.height) * Double(even.width) / Double(even.height)
            let heightForWidth = Double(content.width) * Double(even.height) / Double(even.width)
            let isSound =
                PixelRect(output).contains(content) && content.width >= 2 && content.height >= 2
                && [content.x, content.y, content.width, content.height].allSatisfy { $0 % 2 == 0 }
                && (content.width == output.width || content.height == output.height)
                && (abs(widthForHeight - Double(content.width)) <= 2
                    || abs(heightForWidth - Double(content.height)) <= 2)
                && abs(output.width - content.maxX - content.x) <= 2
                && abs(output.height - content.maxY - content.y) <= 2
            guard !isSound else { continue }
            Issue.record("\(source) in \(output) lies at \(content)")
            return
        }
    }

    @Test func `damage of an unscaled picture keeps its position`() {
        let layout = Letterbox(source: PixelSize(width: 1367, height: 769), output: PixelSize(width: 1366, height: 768))
        #expect(
            layout.outputRectangle(for: PixelRect(x: 3, y: 5, width: 7, height: 9))
                == PixelRect(x: 3, y: 5, width: 7, height: 9))
    }

    @Test func `damage of a scaled picture includes the filter's reach, but not the borders`() {
        let layout = Letterbox(
            source: PixelSize(width: 3840, height: 1080), output: PixelSize(width: 1920, height: 1080))
        let middle = layout.outputRectangle(for: PixelRect(x: 1000, y: 400, width: 100, height: 40))
        #expect(middle.contains(PixelRect(x: 498, y: 468, width: 54, height: 24)))
        #expect(PixelRect(x: 490, y: 460, width: 70, height: 40).contains(middle))
        #expect(
            layout.outputRectangle(for: PixelRect(x: 0, y: 0, width: 3840, height: 1080))
                == PixelRect(x: 0, y: 270, width: 1920, height: 540))
    }
}
