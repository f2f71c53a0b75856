import TestPatterns

/// The machine-readable clock (`ClockPattern`), repainted in each frame, and a moving block below it.
struct ClockScene: Scene {
    /// Not 60: with 30 or 60 recorded frames per second, the clock would have the same age in every frame, by a
    /// fraction of a frame that differs between runs. With 61, some frames of each second show a clock that was painted
    /// just before.
    let framesPerSecond = 61
    private static let track = PatternRectangle(x: 0.05, y: 0.5, width: 0.9, height: 0.05)
    private static let cells = (0..<ClockPattern.rows).flatMap { row in
        (0..<ClockPattern.columns).map { ClockPattern.cell(column: $0, row: row) }
    }

    mutating func paint(on canvas: Canvas) {
        canvas.fill(PatternColour(grey: 96), [.whole])
        paintFrame(on: canvas)
    }

    mutating func advance(on canvas: Canvas) {
        let time = paintFrame(on: canvas)
        present(ClockPattern.area, on: canvas)
        paintBlock(at: time, on: canvas)
        present(Self.track, on: canvas)
    }

    @discardableResult
    private func paintFrame(on canvas: Canvas) -> UInt32 {
        let time = UInt32(truncatingIfNeeded: MonotonicClock.now() / 1_000_000)
        let values = ClockPattern.cells(milliseconds: time)
        canvas.fill(.black, [ClockPattern.area])
        canvas.fill(.white, zip(Self.cells, values).filter(\.1).map(\.0))
        return time
    }

    private func paintBlock(at time: UInt32, on canvas: Canvas) {
        let place = Double(time % 4000) / 4000
        canvas.fill(PatternColour(grey: 96), [Self.track])
        canvas.fill(
            PatternColour(230, 180, 40),
            [PatternRectangle(x: place * 0.96, y: 0, width: 0.04, height: 1).placed(in: Self.track)])
    }

    private func present(_ rectangle: PatternRectangle, on canvas: Canvas) {
        let (columns, rows) = rectangle.pixels(width: canvas.width, height: canvas.height)
        canvas.present(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }
}
