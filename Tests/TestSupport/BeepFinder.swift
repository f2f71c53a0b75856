import Foundation
import TestPatterns

/// One beep of `TestScreen clock --beep` in a recording.
package struct Beep: Sendable, CustomStringConvertible {
    /// When it begins, seconds in the container's own time line.
    package let onset: Double
    /// The second of CLOCK_MONOTONIC at which it was played, modulo `BeepPattern.numbers`; nil if its pitch cannot be
    /// read.
    package let number: Int?

    /// A beep from its members.
    package init(onset: Double, number: Int?) {
        self.onset = onset
        self.number = number
    }

    package var description: String {
        "\((onset * 1000).rounded() / 1000) s (number \(number.map(String.init) ?? "unreadable"))"
    }
}

extension Collection<Double> {
    /// True if these delays of beeps are within a limit, in seconds: all of them, or all but one if there are four or
    /// more. False without a beep.
    ///
    /// A machine that stops the test's player for a moment delays or cuts one beep. A program that is late is late with
    /// every beep.
    package func areInTime(within limit: Double) -> Bool {
        !isEmpty && count { !(abs($0) <= limit) } <= (count >= 4 ? 1 : 0)
    }
}

/// Finds the beeps that `TestScreen clock --beep` plays: where they begin, to about a millisecond, and their numbers.
package enum BeepFinder {
    /// The beeps of a sound track. A beep that is cut off at the start or at the end of the sound is left out.
    package static func beeps(in audio: DecodedAudio) -> [Beep] {
        beeps(in: audio.samples, rate: audio.rate).map {
            Beep(onset: audio.time(ofSample: $0.onset), number: $0.number)
        }
    }

    /// The same for samples; `onset` is the number of the first sample, as a fraction.
    package static func beeps(in samples: [Float], rate: Int) -> [Beep] {
        onsets(in: samples, rate: rate)
            .filter { $0 + BeepPattern.totalDuration * Double(rate) <= Double(samples.count) }
            .map { Beep(onset: $0, number: number(of: $0, in: samples, rate: rate)) }
    }

    /// The number that the second part of a beep says; nil if no pitch is clearly the loudest.
    private static func number(of onset: Double, in samples: [Float], rate: Int) -> Int? {
        let first = Int(onset + (BeepPattern.duration + 0.005) * Double(rate))
        let last = min(Int(onset + (BeepPattern.totalDuration - 0.005) * Double(rate)), samples.count)
        guard first < last else { return nil }
        let levels = (0..<BeepPattern.numbers).map {
            level(of: BeepPattern.numberFrequency($0), in: samples[first..<last], rate: rate)
        }
        let order = levels.indices.sorted { levels[$0] > levels[$1] }
        guard levels[order[0]] > 0.005, levels[order[0]] > 2 * levels[order[1]] else { return nil }
        return order[0]
    }

    /// The amplitude at a frequency over some samples.
    private static func level(of frequency: Double, in samples: ArraySlice<Float>, rate: Int) -> Double {
        let step = 2 * Double.pi * frequency / Double(rate)
        var sum = (real: 0.0, imaginary: 0.0)
        for index in samples.indices {
            sum.real += Double(samples[index]) * cos(step * Double(index))
            sum.imaginary += Double(samples[index]) * sin(step * Double(index))
        }
        return 2 * (sum.real * sum.real + sum.imaginary * sum.imaginary).squareRoot() / Double(samples.count)
    }

    /// The number of the first sample of each beep, as a fraction. A beep that is cut off at the start of the sound is
    /// left out.
    private static func onsets(in samples: [Float], rate: Int) -> [Double] {
        let levels = envelope(samples, rate: rate)
        // Half of a usual beep's level, whatever the volume; silence and noise have none.
        let loudest = levels.max() ?? 0
        guard loudest > 0.01 else { return [] }
        let threshold = loudest / 2
        let window = windowLength(rate)
        var onsets: [Double] = []
        var quietSince = 0
        for index in 1..<levels.count where levels[index] >= threshold {
            let wasQuiet = index - quietSince > rate / 20
            quietSince = index
            guard levels[index - 1] < threshold, wasQuiet, index > window else { continue }
            // The envelope is at half when half of the window is in the beep.
            let crossing = Double(index) - Double((levels[index] - threshold) / (levels[index] - levels[index - 1]))
            onsets.append(crossing + 1 - Double(window) / 2)
        }
        return onsets
    }

    /// The amplitude at the beep's frequency over the window that ends at each sample.
    private static func envelope(_ samples: [Float], rate: Int) -> [Float] {
        let window = windowLength(rate)
        let step = 2 * Double.pi * BeepPattern.frequency / Double(rate)
        var products = [(real: Double, imaginary: Double)](repeating: (0, 0), count: window)
        var sum = (real: 0.0, imaginary: 0.0)
        var levels = [Float](repeating: 0, count: samples.count)
        for index in samples.indices {
            let slot = index % window
            let value = Double(samples[index])
            let product = (real: value * cos(step * Double(index)), imaginary: value * sin(step * Double(index)))
            sum.real += product.real - products[slot].real
            sum.imaginary += product.imaginary - products[slot].imaginary
            products[slot] = product
            levels[index] = Float(
                2 * (sum.real * sum.real + sum.imaginary * sum.imaginary).squareRoot() / Double(window))
        }
        return levels
    }

    /// Two periods of the beep, in samples.
    private static func windowLength(_ rate: Int) -> Int { Int((2 * Double(rate) / BeepPattern.frequency).rounded()) }
}
