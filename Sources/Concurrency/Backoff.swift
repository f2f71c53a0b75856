/// The policy for retries: the maximum number of tries and the wait before each of them. All reconnections use it.
package struct Backoff: Sendable, Equatable {
    /// The maximum number of consecutive attempts; nil if only the caller decides when to stop.
    package var maximumAttempts: Int?
    /// The wait before the first try.
    package var first: Duration
    /// The factor by which each wait is longer than the one before.
    package var factor: Double
    /// The maximum wait, without jitter.
    package var longest: Duration
    /// The maximum random change of a wait, as a fraction of the wait, so that many clients do not reconnect at the same
    /// time.
    package var jitter: Double

    package init(maximumAttempts: Int? = nil, first: Duration, factor: Double = 1.5, longest: Duration, jitter: Double = 0) {
        self.maximumAttempts = maximumAttempts
        self.first = first
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// The policy of live destinations: 20 tries, from 2 s to 60 s, changed by up to a fifth.
    package static let liveDestination = Backoff(maximumAttempts: 20, first: .seconds(2), longest: .seconds(60), jitter: 0.2)

    /// Returns the wait after `failures` failures in a row, which is at least 1. It does not count the tries.
    package func delay(afterFailures failures: Int, chance: Double = 0.5) -> Duration {
        var delay = first
        for _ in 1..<max(1, failures) where delay < longest { delay = delay * factor }
        return min(delay, longest) * (1 - jitter + 2 * jitter * chance)
    }

    /// Returns the wait before try `attempt`, counted from 0; nil if there are no more tries.
    ///
    /// - Parameter chance: a random number from 0 to 1, which determines the jitter.
    package func delay(before attempt: Int, chance: Double = 0.5) -> Duration? {
        if let maximumAttempts, attempt >= maximumAttempts { return nil }
        return delay(afterFailures: attempt + 1, chance: chance)
    }
}
