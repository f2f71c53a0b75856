/// Follows how far a source's clock runs ahead of or behind the session's, and says how to resample against it.
///
/// A proportional and integral controller on the distance between where a source's sound should lie and where it lies.
/// The measured times jitter by some milliseconds; the proportional part is slow enough not to follow that.
package struct DriftEstimator: Sendable {
    /// How much of the error is taken away in a second.
    private static let proportional = 0.1
    /// How much of the error becomes lasting drift in a second.
    private static let integral = 0.0025
    /// No clock in a computer is further off; more is a gap, not a drift.
    private static let limit = 0.005

    /// The source's lasting drift: positive where it gives fewer samples a second than it should.
    private var drift = 0.0

    package init() {}

    /// The source's lasting drift in parts per million; positive where its clock is slow.
    package var partsPerMillion: Double { drift * 1e6 }

    /// Takes a new measurement and gives the fraction by which the sound is to be stretched.
    ///
    /// - Parameters:
    ///   - error: seconds by which the sound lies too early (positive) or too late.
    ///   - duration: seconds of sound since the last measurement.
    package mutating func stretch(error: Double, duration: Double) -> Double {
        drift = min(Self.limit, max(-Self.limit, drift + error * Self.integral * duration))
        return min(Self.limit, max(-Self.limit, drift + error * Self.proportional))
    }
}
