/// The beep that `TestScreen clock --beep` plays: it starts at every whole second of CLOCK_MONOTONIC.
package enum BeepPattern {
    /// Hz. A whole number of samples a period at 48 kHz, and 30 periods a beep.
    package static let frequency = 1000.0
    /// Seconds.
    package static let duration = 0.03
    /// The sine's peak, of full scale.
    package static let amplitude = 0.5
}
