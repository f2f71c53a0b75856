import Foundation
import TestPatterns
import TestSupport
import Testing

/// Beeps in made-up sound.
struct BeepFinderTests {
    @Test(arguments: [44_100, 48_000])
    func `A beep's beginning is found to a millisecond at any volume`(rate: Int) {
        var samples = (0..<rate * 3).map { Float(sin(Double($0) * 0.03)) * 0.01 }
        for (beep, volume) in [(0.25, 0.5), (1.25, 0.45), (2.251, 0.4)] {
            for index in 0..<Int(BeepPattern.duration * Double(rate)) {
                samples[Int(beep * Double(rate)) + index] += Float(volume * sin(2 * .pi * BeepPattern.frequency * Double(index) / Double(rate)))
            }
        }
        let onsets = BeepFinder.onsets(in: samples, rate: rate).map { $0 / Double(rate) }
        #expect(onsets.count == 3)
        for (found, wanted) in zip(onsets, [0.25, 1.25, 2.251]) {
            #expect(abs(found - wanted) < 0.001)
        }
    }

    @Test func `Silence has no beeps`() {
        #expect(BeepFinder.onsets(in: Array(repeating: 0, count: 48_000), rate: 48_000).isEmpty)
        #expect(BeepFinder.onsets(in: [], rate: 48_000).isEmpty)
    }
}
