import CX11
import Glibc
import TestPatterns

/// The scene of the README's picture: a title, a readable clock, colour bars and a bouncing ball.
struct DemoScene: Scene {
    let framesPerSecond = 60
    private static let night = PatternColour(22, 26, 44)
    private static let stage = PatternRectangle(x: 0, y: 0.44, width: 1, height: 0.36)
    private var glyphs: [Character: [XRectangle]] = [:]

    mutating func paint(on canvas: Canvas) {
        canvas.fill(Self.night, [.whole])
        let scale = max(canvas.height / 120, 1)
        paintCentred("broadcast demo", scale: scale, PatternColour(250, 250, 255), y: canvas.height / 12, on: canvas)
        for (index, bar) in ColourChart.bars(peak: 191).enumerated() {
            canvas.fill(bar.1, [PatternRectangle(x: Double(index) / 8, y: 0.82, width: 0.125, height: 0.18)])
        }
        paintClock(on: canvas)
        paintBall(on: canvas)
    }

    mutating func advance(on canvas: Canvas) {
        paintClock(on: canvas)
        paintBall(on: canvas)
        let stage = Self.stage.pixels(width: canvas.width, height: canvas.height)
        let top = clockTop(canvas)
        canvas.present(x: 0, y: top, width: canvas.width, height: stage.rows.upperBound - top)
    }

    private func clockTop(_ canvas: Canvas) -> Int { canvas.height * 5 / 20 }

    private mutating func paintClock(on canvas: Canvas) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        localtime_r(&now.tv_sec, &parts)
        let time = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
        let hundredths = now.tv_nsec / 10_000_000
        let scale = max(canvas.height / 90, 1)
        canvas.fill(Self.night, x: 0, y: clockTop(canvas), width: canvas.width, height: 13 * scale)
        paintCentred(
            "\(time).\(hundredths < 10 ? "0" : "")\(hundredths)", scale: scale, PatternColour(120, 220, 255),
            y: clockTop(canvas), on: canvas)
    }

    private func paintBall(on canvas: Canvas) {
        let stage = Self.stage.pixels(width: canvas.width, height: canvas.height)
        let side = canvas.height / 10
        let milliseconds = Int(MonotonicClock.now() / 1_000_000)
        canvas.fill(Self.night, [Self.stage])
        let run = canvas.width - side
        let across = milliseconds / 3 % (2 * run)
        // A parabola of 1.2 s between two bounces.
        let phase = Double(milliseconds % 1200) / 600 - 1
        let drop = Double(stage.rows.count - side) * phase * phase
        canvas.fillDisc(
            PatternColour(255, 140, 60), x: across < run ? across : 2 * run - across,
            y: stage.rows.lowerBound + Int(drop), side: side)
    }

    private mutating func paintCentred(_ text: String, scale: Int, _ colour: PatternColour, y: Int, on canvas: Canvas) {
        var x = (canvas.width - text.count * 6 * scale) / 2
        for character in text {
            let runs = glyphs[character] ?? canvas.glyphRuns(of: String(character))
            glyphs[character] = runs
            canvas.draw(runs, scale: scale, colour, x: x, y: y)
            x += 6 * scale
        }
    }
}
