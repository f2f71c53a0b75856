import TestPatterns

/// The colour chart, still.
struct ChartScene: Scene {
    let framesPerSecond = 2

    mutating func paint(on canvas: Canvas) {
        for patch in ColourChart.patches {
            canvas.fill(patch.colour, [patch.rectangle])
        }
    }

    mutating func advance(on canvas: Canvas) {}
}
