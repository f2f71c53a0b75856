import TestPatterns

/// A desktop that does not change: a wallpaper, a panel and windows full of text.
struct StillScene: Scene {
    let framesPerSecond = 2

    mutating func paint(on canvas: Canvas) {
        paintWallpaper(on: canvas)
        let width = canvas.width
        let height = canvas.height
        paintWindow(
            "Terminal", PatternColour(24, 26, 30), PatternColour(180, 220, 180), x: width / 16, y: height / 10,
            width: width / 2, height: height / 2,
            on: canvas)
        paintWindow(
            "Reader", PatternColour(252, 250, 244), PatternColour(40, 36, 30), x: width / 2, y: height / 5,
            width: width * 7 / 16,
            height: height * 2 / 3, on: canvas)
        paintWindow(
            "Chat", PatternColour(238, 242, 250), PatternColour(30, 44, 80), x: width / 8, y: height * 11 / 20,
            width: width / 4, height: height / 3,
            on: canvas)
        canvas.fill(PatternColour(34, 36, 42), x: 0, y: height - 36, width: width, height: 36)
        canvas.draw(
            "Applications     Terminal     Reader     Chat", PatternColour(220, 220, 220), x: 16, y: height - 25)
    }

    mutating func advance(on canvas: Canvas) {}

    private func paintWallpaper(on canvas: Canvas) {
        for band in 0..<64 {
            canvas.fill(
                PatternColour(UInt8(20 + band), UInt8(50 + band), UInt8(90 + band * 2)),
                [PatternRectangle(x: 0, y: Double(band) / 64, width: 1, height: 1.0 / 64)])
        }
    }

    private func paintWindow(
        _ title: String, _ paper: PatternColour, _ ink: PatternColour, x: Int, y: Int, width: Int, height: Int,
        on canvas: Canvas
    ) {
        canvas.fill(PatternColour(60, 64, 74), x: x - 1, y: y - 1, width: width + 2, height: height + 2)
        canvas.draw(title, PatternColour(235, 235, 235), x: x + 10, y: y + 6)
        canvas.fill(paper, x: x, y: y + 26, width: width, height: height - 26)
        var text = SampleText(seed: UInt32(title.utf8.count))
        for (index, line) in stride(from: y + 34, to: y + height - 16, by: 16).enumerated() {
            canvas.draw(text.next(max((width - 20) / 6 * (index % 4 + 5) / 8, 1)), ink, x: x + 10, y: line)
        }
    }
}
