import TestPatterns

/// A still picture of the colour chart.
struct ChartScene: Scene {
    let framesPerSecond = 2

    mutating func paint(on canvas: Canvas) {
        for patch in ColourChart.patches {
            canvas.fill(patch.colour, [patch.rectangle])
        }
    }

    mutating func advance(on canvas: Canvas) {}
}
