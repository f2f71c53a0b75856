import Glibc
import TestPatterns

/// The played sound, as a function of the sample's number and of its playback time.
enum Sound {
    /// `BeepPattern`: a beep at every whole second of CLOCK_MONOTONIC.
    case beepEachSecond
    /// A continuous tone with the amplitude of `TonePattern` and this frequency in Hz.
    case tone(frequency: Double)

    /// The latest beep of a stream.
    struct Beep {
        /// The number of its first sample.
        var start = Int64.min / 2
        /// The second of CLOCK_MONOTONIC at which it is played.
        var second = 0
    }

    /// Fills interleaved stereo samples. `first` is the number of the first one since the stream's start, `heardAt` its
    /// playback time in nanoseconds of CLOCK_MONOTONIC, or nil if that is unknown.
    func fill(
        _ samples: UnsafeMutableBufferPointer<Float>, first: Int64, heardAt: Double?, rate: Double, beep: inout Beep
    ) {
        for index in 0..<samples.count / 2 {
            let value: Double
            switch self {
            case .tone(let frequency):
                value = TonePattern.amplitude * sin(2 * .pi * frequency * Double(first + Int64(index)) / rate)
            case .beepEachSecond:
                value = sample(
                    number: first + Int64(index), heardAt: heardAt.map { $0 + Double(index) * 1e9 / rate }, rate: rate,
                    beep: &beep)
            }
            samples[2 * index] = Float(value)
            samples[2 * index + 1] = Float(value)
        }
    }

    /// A started beep continues by sample numbers, so that a corrected latency cannot interrupt it.
    private func sample(number: Int64, heardAt: Double?, rate: Double, beep: inout Beep) -> Double {
        if let heardAt, heardAt.truncatingRemainder(dividingBy: 1e9) * rate < 1e9 * 16,
            number - beep.start > Int64(rate / 2)
        {
            beep = Beep(start: number, second: Int(heardAt / 1e9))
        }
        return BeepPattern.sample(at: Double(number - beep.start) / rate, number: beep.second) { sin($0) }
    }
}
