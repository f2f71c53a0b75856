import TestPatterns

/// A text editor in which ten characters per second appear at a caret; everything else does not change.
struct TypingScene: Scene {
    let framesPerSecond = 10
    private static let paper = PatternColour(253, 253, 250)
    private static let ink = PatternColour(30, 30, 34)
    private static let lineHeight = 16
    private static let margin = (x: 60, y: 48)

    private var text = SampleText(seed: 1)
    private var column = 0
    private var line = 0

    mutating func paint(on canvas: Canvas) {
        canvas.fill(Self.paper, [.whole])
        canvas.fill(PatternColour(58, 62, 72), x: 0, y: 0, width: canvas.width, height: 32)
        canvas.draw(
            "notes.txt - Editor      File   Edit   View   Search   Help", PatternColour(230, 230, 230), x: 16, y: 9)
        canvas.fill(PatternColour(232, 232, 228), x: 0, y: 32, width: Self.margin.x - 12, height: canvas.height - 32)
        var page = SampleText(seed: 2)
        for line in 0..<lines(canvas) {
            canvas.draw("\(line + 1)", PatternColour(140, 140, 140), x: 12, y: y(line))
            if line < lines(canvas) / 2 {
                canvas.draw(page.next(columns(canvas) * (line % 5 + 4) / 9), Self.ink, x: Self.margin.x, y: y(line))
            }
        }
        text = SampleText(seed: 1)
        line = lines(canvas) / 2
        column = 0
        paintCaret(Self.ink, on: canvas)
    }

    mutating func advance(on canvas: Canvas) {
        let (oldColumn, oldLine) = (column, line)
        paintCaret(Self.paper, on: canvas)
        canvas.draw(text.next(1), Self.ink, x: x(column), y: y(line))
        column += 1
        if column == columns(canvas) {
            startLine(on: canvas)
            canvas.present(x: Self.margin.x, y: y(line), width: canvas.width - Self.margin.x, height: Self.lineHeight)
        }
        paintCaret(Self.ink, on: canvas)
        canvas.present(x: x(oldColumn), y: y(oldLine), width: 6 * 2, height: Self.lineHeight)
        canvas.present(x: x(column), y: y(line), width: 6, height: Self.lineHeight)
    }

    /// Moves to the next line, and from the end of the page back to its middle; clears the old text there.
    private mutating func startLine(on canvas: Canvas) {
        column = 0
        line = line + 1 < lines(canvas) ? line + 1 : lines(canvas) / 2
        canvas.fill(
            Self.paper, x: Self.margin.x, y: y(line), width: canvas.width - Self.margin.x, height: Self.lineHeight)
    }

    private func paintCaret(_ colour: PatternColour, on canvas: Canvas) {
        canvas.fill(colour, x: x(column), y: y(line), width: 2, height: 13)
    }

    private func lines(_ canvas: Canvas) -> Int { max((canvas.height - Self.margin.y - 8) / Self.lineHeight, 2) }
    private func columns(_ canvas: Canvas) -> Int { max((canvas.width - 2 * Self.margin.x) / 6, 4) }
    private func x(_ column: Int) -> Int { Self.margin.x + column * 6 }
    private func y(_ line: Int) -> Int { Self.margin.y + line * Self.lineHeight }
}
