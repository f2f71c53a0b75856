import Glibc
import TestPatterns

/// What is played, as a function of the sample's number and of the moment at which it is heard.
enum Sound {
    /// `BeepPattern`: a beep at every whole second of CLOCK_MONOTONIC.
    case beepEachSecond
    /// One tone without a break, of `TonePattern`'s amplitude and this frequency in Hz.
    case tone(frequency: Double)

    /// Fills interleaved stereo samples. `first` is the number of the first one since the stream's start, `heardAt` its time in nanoseconds of
    /// CLOCK_MONOTONIC, nil while that is unknown. `beepStart` is the number of the sample at which the latest beep began.
    func fill(_ samples: UnsafeMutableBufferPointer<Float>, first: Int64, heardAt: Double?, rate: Double, beepStart: inout Int64) {
        for index in 0..<samples.count / 2 {
            let value: Double
            switch self {
            case .tone(let frequency):
                value = TonePattern.amplitude * sin(2 * .pi * frequency * Double(first + Int64(index)) / rate)
            case .beepEachSecond:
                value = beep(number: first + Int64(index), heardAt: heardAt.map { $0 + Double(index) * 1e9 / rate }, rate: rate, start: &beepStart)
            }
            samples[2 * index] = Float(value)
            samples[2 * index + 1] = Float(value)
        }
    }

    /// Once begun, a beep runs on by sample numbers, so that a corrected latency cannot tear it.
    private func beep(number: Int64, heardAt: Double?, rate: Double, start: inout Int64) -> Double {
        if let heardAt, heardAt.truncatingRemainder(dividingBy: 1e9) * rate < 1e9 * 16, number - start > Int64(rate / 2) { start = number }
        let place = Double(number - start) / rate
        return place < BeepPattern.duration ? BeepPattern.amplitude * sin(2 * .pi * BeepPattern.frequency * place) : 0
    }
}
