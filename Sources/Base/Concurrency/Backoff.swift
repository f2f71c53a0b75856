/// The waits before consecutive tries.
package struct Backoff: Sendable, Equatable {
    /// The wait before the first try.
    package var first: Duration
    /// The factor by which each wait is longer than the one before.
    package var factor: Double
    /// The maximum wait, without jitter.
    package var longest: Duration
    /// The maximum random change of a wait, as a fraction of the wait, so that many clients do not reconnect at the
    /// same time.
    package var jitter: Double

    package init(first: Duration, factor: Double = 1.5, longest: Duration, jitter: Double = 0) {
        self.first = first
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// Returns the wait after `failures` failures in a row, which is at least 1.
    ///
    /// - Parameter chance: a random number from 0 to 1, which determines the jitter.
    package func delay(afterFailures failures: Int, chance: Double = 0.5) -> Duration {
        var delay = first
        for _ in 1..<max(1, failures) where delay < longest { delay = delay * factor }
        return min(delay, longest) * (1 - jitter + 2 * jitter * chance)
    }
}
