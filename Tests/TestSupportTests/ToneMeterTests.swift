import Foundation
import TestSupport
import Testing

/// Tones of known amplitude, also with the largest change of pitch that drift compensation makes.
struct ToneMeterTests {
    private static func tone(_ frequency: Double, amplitude: Double) -> [Double] {
        (0..<48_000).map { amplitude * sin(2 * .pi * frequency * Double($0) / 48_000 + 0.3) }
    }

    @Test(arguments: [0.995, 0.9957, 1, 1.0043, 1.005]) func `A tone is heard at its own frequency only`(pitch: Double)
    {
        let sound = Self.tone(1500 * pitch, amplitude: 0.355).map { Float($0) }
        #expect(
            ToneMeter(1500, rate: 48_000).amplitudes(in: sound).allSatisfy { 0.94 * 0.355 < $0 && $0 < 1.001 * 0.355 })
        #expect(ToneMeter(440, rate: 48_000).amplitudes(in: sound).allSatisfy { $0 < 0.0001 })
    }

    @Test func `A quiet tone is heard beside a loud one`() {
        let sound = zip(Self.tone(1500 * 1.005, amplitude: 0.355), Self.tone(440, amplitude: 0.001)).map {
            Float($0 + $1)
        }
        let amplitudes = ToneMeter(440, rate: 48_000).amplitudes(in: sound)
        #expect(amplitudes.count == 25)
        #expect(amplitudes.allSatisfy { abs($0 - 0.001) < 0.0001 })
    }
}
