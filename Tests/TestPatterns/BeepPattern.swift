/// The beep of `TestScreen clock --beep`. It starts at every whole second of CLOCK_MONOTONIC and encodes the number of
/// that second.
///
/// The first part is the same in every beep, so that its start can be measured. The second part is a tone whose pitch
/// is the number of the second modulo 8, so that a sound that is late by whole seconds is detected.
package enum BeepPattern {
    /// The pitch of the first part in Hz. Its period is a whole number of samples at 48 kHz.
    package static let frequency = 1000.0
    /// The duration of the first part in seconds: 30 periods.
    package static let duration = 0.03
    /// The peak of the first part's sine, relative to full scale.
    package static let amplitude = 0.5
    /// The number of seconds with different pitches.
    package static let numbers = 8
    /// The duration of the second part in seconds.
    package static let numberDuration = 0.06
    /// The peak of the second part's sine, relative to full scale.
    package static let numberAmplitude = 0.25
    /// The duration of the whole beep in seconds.
    package static let totalDuration = duration + numberDuration

    /// The pitch of the second part for the number of a second, in Hz. All pitches are multiples of 500 Hz above the
    /// first part's, so that a detector for the first part with a window of 2 ms does not respond to them.
    package static func numberFrequency(_ number: Int) -> Double { frequency + 500 * Double(number % numbers + 1) }

    /// The sample of the beep `time` seconds after its start, -1...1; 0 before and after the beep.
    package static func sample(at time: Double, number: Int, sine: (Double) -> Double) -> Double {
        if time < 0 || time >= totalDuration { return 0 }
        if time < duration { return amplitude * sine(2 * .pi * frequency * time) }
        // Soft edges: a hard edge contains all frequencies.
        let fade = min(time - duration, totalDuration - time) / 0.005
        return numberAmplitude * min(fade, 1) * sine(2 * .pi * numberFrequency(number) * time)
    }
}
