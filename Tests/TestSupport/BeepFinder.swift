import Foundation
import TestPatterns

/// Finds the beginnings of the beeps that `TestScreen clock --beep` plays, to about a millisecond.
package enum BeepFinder {
    /// The number of the first sample of each beep, as a fraction. A beep that is cut off at the start of the sound is left out.
    package static func onsets(in samples: [Float], rate: Int) -> [Double] {
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

    /// The time of each beep's beginning, seconds in the container's own time line.
    package static func onsets(in audio: DecodedAudio) -> [Double] {
        onsets(in: audio.samples, rate: audio.rate).map { audio.time(ofSample: $0) }
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
            levels[index] = Float(2 * (sum.real * sum.real + sum.imaginary * sum.imaginary).squareRoot() / Double(window))
        }
        return levels
    }

    /// Two periods of the beep, in samples.
    private static func windowLength(_ rate: Int) -> Int { Int((2 * Double(rate) / BeepPattern.frequency).rounded()) }
}
