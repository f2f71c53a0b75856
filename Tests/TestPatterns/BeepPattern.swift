/// The beep that `TestScreen clock --beep` plays: it starts at every whole second of CLOCK_MONOTONIC and says which second that is.
///
/// The first part is the same in every beep, so that its start can be measured. The second part is a tone whose pitch is the second's number
/// modulo 8, so that a sound that is late by whole seconds is not taken for one in time.
package enum BeepPattern {
    /// The pitch of the first part, Hz. A whole number of samples a period at 48 kHz.
    package static let frequency = 1000.0
    /// The length of the first part, seconds: 30 periods.
    package static let duration = 0.03
    /// The peak of the first part's sine, of full scale.
    package static let amplitude = 0.5
    /// How many seconds have a pitch of their own.
    package static let numbers = 8
    /// The length of the second part, seconds.
    package static let numberDuration = 0.06
    /// The peak of the second part's sine, of full scale.
    package static let numberAmplitude = 0.25
    /// The length of the whole beep, seconds.
    package static let totalDuration = duration + numberDuration

    /// The pitch of the second part for a second's number, Hz. All pitches are multiples of 500 Hz above the first part's, so that a detector
    /// with a window of 2 ms for the first part does not respond to them.
    package static func numberFrequency(_ number: Int) -> Double { frequency + 500 * Double(number % numbers + 1) }

    /// The beep's sample `time` seconds after its start, -1...1; 0 before and after it.
    package static func sample(at time: Double, number: Int, sine: (Double) -> Double) -> Double {
        if time < 0 || time >= totalDuration { return 0 }
        if time < duration { return amplitude * sine(2 * .pi * frequency * time) }
        // Soft edges: a hard one sounds at all pitches.
        let fade = min(time - duration, totalDuration - time) / 0.005
        return numberAmplitude * min(fade, 1) * sine(2 * .pi * numberFrequency(number) * time)
    }
}
