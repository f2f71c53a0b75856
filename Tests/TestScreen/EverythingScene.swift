import CX11
import TestPatterns

/// Every pixel of the screen changes in every frame: the screen shows a moving part of a larger, colourful and noisy
/// texture. The texture is created once; a frame is one copy inside the X server.
struct EverythingScene: Scene {
    let framesPerSecond = 30
    private static let overhang = 320
    private var texture: Pixmap?
    private var frame = 0

    mutating func paint(on canvas: Canvas) {
        if let texture { canvas.free(texture) }
        var noise: UInt32 = 1
        texture = try? canvas.pixmap(width: canvas.width + Self.overhang, height: canvas.height + Self.overhang) {
            x, y in
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let grain = Int(noise >> 28)
            return PatternColour(
                UInt8(truncatingIfNeeded: wave(x * 3 + y, 509) + grain),
                UInt8(truncatingIfNeeded: wave(y * 2 - x, 383) + grain),
                UInt8(truncatingIfNeeded: wave(x + y * 3 + x * y / 4096, 631) + grain))
        }
        advance(on: canvas)
    }

    mutating func advance(on canvas: Canvas) {
        guard let texture else { return }
        frame += 1
        // The horizontal and the vertical period differ, so that the picture does not repeat for minutes.
        canvas.show(
            texture, fromX: wave(frame * 7, Self.overhang * 2) * Self.overhang / 240,
            y: wave(frame * 5, Self.overhang * 2 - 26) * Self.overhang / 240
        )
    }

    /// A triangle wave, 0...239.
    private func wave(_ place: Int, _ period: Int) -> Int {
        let phase = (place % period + period) % period
        return (phase * 2 < period ? phase * 2 : 2 * period - phase * 2) * 239 / period
    }
}
