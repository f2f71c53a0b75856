/// A time on the session's clock, or a duration, in nanoseconds since the session's start.
///
/// The session's clock is `CLOCK_MONOTONIC` minus its value at the start. This module does not read a clock: the
/// capture code assigns a time, and later stages keep it.
public struct MediaTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the session's start. Negative only for the priming of an audio encoder.
    public var nanoseconds: Int64

    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    public init(milliseconds: Int64) {
        nanoseconds = milliseconds * 1_000_000
    }

    /// Creates a time of `duration` after the start, in whole nanoseconds.
    public init(_ duration: Duration) {
        nanoseconds = duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000
    }

    /// Creates a time of `seconds` after the start, rounded to the nearest nanosecond. The limit is 95 years in both
    /// directions, also for infinity; a value that is not a number is zero.
    public init(seconds: Double) {
        let limit = 3e18
        nanoseconds = seconds.isNaN ? 0 : Int64(min(limit, max(-limit, (seconds * 1e9).rounded())))
    }

    /// Creates the time of tick `value` of a clock with `timescale` ticks a second, rounded to the nearest nanosecond.
    public init(value: Int64, timescale: Int64) {
        let (whole, rest) = value.quotientAndRemainder(dividingBy: timescale)
        nanoseconds =
            whole * 1_000_000_000 + (rest * 1_000_000_000 + (rest >= 0 ? timescale / 2 : -timescale / 2)) / timescale
    }

    public static let zero = MediaTime(nanoseconds: 0)

    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Milliseconds, rounded to the nearest integer.
    public var milliseconds: Int64 { value(timescale: 1000) }

    /// Returns the nearest tick of a clock with `timescale` ticks a second.
    public func value(timescale: Int64) -> Int64 {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let half: Int64 = rest >= 0 ? 500_000_000 : -500_000_000
        return whole * timescale + (rest * timescale + half) / 1_000_000_000
    }

    /// Returns the last tick, of a clock with `timescale` ticks a second, that is not after this time. It does not
    /// overflow for any time and any scale up to 9 GHz, unlike a product of both.
    package func lastTick(timescale: Int64) -> Int64 {
        let whole = nanoseconds >= 0 ? nanoseconds / 1_000_000_000 : (nanoseconds - 999_999_999) / 1_000_000_000
        return whole * timescale + (nanoseconds - whole * 1_000_000_000) * timescale / 1_000_000_000
    }

    public static func < (left: MediaTime, right: MediaTime) -> Bool { left.nanoseconds < right.nanoseconds }
    public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
        MediaTime(nanoseconds: left.nanoseconds + right.nanoseconds)
    }
    public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
        MediaTime(nanoseconds: left.nanoseconds - right.nanoseconds)
    }
    public static prefix func - (time: MediaTime) -> MediaTime { MediaTime(nanoseconds: -time.nanoseconds) }
    public static func += (left: inout MediaTime, right: MediaTime) { left.nanoseconds += right.nanoseconds }
}
