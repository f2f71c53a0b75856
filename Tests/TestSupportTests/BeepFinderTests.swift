import Foundation
import TestPatterns
import TestSupport
import Testing

/// Beeps in generated sound.
struct BeepFinderTests {
    private struct Played {
        /// Seconds.
        let start: Double
        let number: Int
        var volume = 1.0
    }

    /// Seconds of a low hum with beeps in it.
    private func sound(_ beeps: [Played], seconds: Double, rate: Int) -> [Float] {
        (0..<Int(seconds * Double(rate))).map { (index: Int) -> Float in
            let time = Double(index) / Double(rate)
            var value = sin(Double(index) * 0.03) * 0.01
            for beep in beeps {
                value += beep.volume * BeepPattern.sample(at: time - beep.start, number: beep.number) { sin($0) }
            }
            return Float(value)
        }
    }

    @Test(arguments: [44_100, 48_000])
    func `A beep is found to a millisecond, with its number, at any volume`(rate: Int) {
        let played = (0..<10).map { (second: Int) -> Played in
            let place = Double(second)
            return Played(start: place * 1.0003 + 0.25, number: second % 8, volume: 1 - 0.03 * place)
        }
        let beeps = BeepFinder.beeps(in: sound(played, seconds: 10.5, rate: rate), rate: rate)
        #expect(beeps.map(\.number) == played.map(\.number))
        for (found, wanted) in zip(beeps, played) { #expect(abs(found.onset / Double(rate) - wanted.start) < 0.001) }
    }

    @Test func `A beep that is cut off at the end is left out`() {
        #expect(
            BeepFinder.beeps(in: sound([Played(start: 0.95, number: 1)], seconds: 1, rate: 48_000), rate: 48_000)
                .isEmpty)
    }

    @Test func `A beep without its second part has no number`() {
        var samples = sound([Played(start: 0.5, number: 1)], seconds: 1, rate: 48_000)
        for index in Int(0.53 * 48_000)..<samples.count { samples[index] = 0 }
        let beeps = BeepFinder.beeps(in: samples, rate: 48_000)
        #expect(beeps.count == 1 && beeps.first?.number == nil)
    }

    @Test func `One of four or more beeps may be late or unreadable, and no two`() {
        #expect(![Double]().areInTime(within: 0.04))
        #expect([0.01, -0.04].areInTime(within: 0.04))
        #expect(![0.01, 0.05, 0].areInTime(within: 0.04))
        for one in [0.05, -0.14, .infinity, .nan] {
            #expect([0.01, one, 0, -0.02].areInTime(within: 0.04))
            #expect(![0.01, one, 0.06, -0.02, 0, 0, 0, 0].areInTime(within: 0.04))
        }
    }

    @Test func `Silence has no beeps`() {
        #expect(BeepFinder.beeps(in: Array(repeating: 0, count: 48_000), rate: 48_000).isEmpty)
        #expect(BeepFinder.beeps(in: [], rate: 48_000).isEmpty)
    }
}
