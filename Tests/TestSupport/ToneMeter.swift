import Foundation

/// Measures how loud a tone is in each piece of 40 ms of a sound.
///
/// A piece is weighted with a Hann window. Without one, the edges of the piece contain every frequency: a tone of 1500
/// Hz whose pitch drift compensation changed by 0.4 % is then heard as 0.5 % of its amplitude at 440 Hz. In pieces as
/// short as these, a change of pitch of 0.5 % (the most that drift compensation does) lowers the amplitude by less than
/// 6 %.
package struct ToneMeter {
    /// The length of a piece, samples.
    private let length: Int
    /// For each sample of a piece, the weight times the cosine and the sine of the tone.
    private let factors: [(cosine: Double, sine: Double)]

    /// A meter for a tone of that frequency in Hz, in sound of that many samples a second.
    package init(_ frequency: Double, rate: Int) {
        length = rate / 25
        let length = Double(length)
        factors = (0..<self.length).map { index in
            let weight = (1 - cos(2 * .pi * Double(index) / length)) * 2 / length
            let phase = 2 * .pi * frequency * Double(index) / Double(rate)
            return (weight * cos(phase), weight * sin(phase))
        }
    }

    /// The amplitudes of the tone in the whole pieces of a sound.
    package func amplitudes(in samples: some RandomAccessCollection<Float>) -> [Double] {
        let samples = Array(samples)
        return stride(from: 0, through: samples.count - length, by: length).map { first in
            var sum = (real: 0.0, imaginary: 0.0)
            for (index, factor) in factors.enumerated() {
                sum.real += Double(samples[first + index]) * factor.cosine
                sum.imaginary += Double(samples[first + index]) * factor.sine
            }
            return (sum.real * sum.real + sum.imaginary * sum.imaginary).squareRoot()
        }
    }
}
