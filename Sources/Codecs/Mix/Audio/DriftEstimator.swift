/// Estimates how much a source's clock is faster or slower than the session's clock, and how to resample to compensate.
///
/// It is a proportional-integral controller. Its input is the difference between the expected and the actual position
/// of a source's sound. The measured times jitter by some milliseconds; the proportional part is slow enough to ignore
/// the jitter.
package struct DriftEstimator: Sendable {
    /// The fraction of the error that is corrected in a second.
    private static let proportional = 0.1
    /// The fraction of the error that becomes long-term drift in a second.
    private static let integral = 0.0025
    /// The maximum drift. Computer clocks differ by less; a larger value is a gap and not a drift.
    private static let limit = 0.005

    /// The long-term drift, positive if the source delivers too few samples a second.
    private var drift = 0.0

    package init() {}

    /// The long-term drift in parts per million, positive if the source's clock is slow.
    package var partsPerMillion: Double { drift * 1e6 }

    /// Processes a measurement and returns the fraction by which to stretch the sound.
    ///
    /// - Parameters:
    ///   - error: the seconds by which the sound is too early (positive) or too late (negative).
    ///   - duration: the seconds of sound since the last measurement.
    package mutating func stretch(error: Double, duration: Double) -> Double {
        drift = min(Self.limit, max(-Self.limit, drift + error * Self.integral * duration))
        return min(Self.limit, max(-Self.limit, drift + error * Self.proportional))
    }
}
