/// How long to wait before each try of something that failed, and how often to try: the one policy for all reconnections.
package struct Backoff: Sendable, Equatable {
    /// The maximum number of consecutive attempts; nil if only the caller decides when to stop.
    package var maximumAttempts: Int?
    /// Before the first try.
    package var first: Duration
    /// Each wait is this many times as long as the one before.
    package var factor: Double
    /// No wait is longer, apart from jitter.
    package var longest: Duration
    /// The share by which a wait is lengthened or shortened at random, so that many clients do not return at the same moment.
    package var jitter: Double

    package init(maximumAttempts: Int? = nil, first: Duration, factor: Double = 1.5, longest: Duration, jitter: Double = 0) {
        self.maximumAttempts = maximumAttempts
        self.first = first
        self.factor = factor
        self.longest = longest
        self.jitter = jitter
    }

    /// For the connection of a live destination: 20 tries, from 2 s to 60 s, moved by up to a fifth.
    package static let liveDestination = Backoff(maximumAttempts: 20, first: .seconds(2), longest: .seconds(60), jitter: 0.2)

    /// The wait before try `attempt`, counted from 0; nil if there are no more tries.
    ///
    /// - Parameter chance: a random number from 0 to 1, which chooses the jitter.
    package func delay(before attempt: Int, chance: Double = 0.5) -> Duration? {
        if let maximumAttempts, attempt >= maximumAttempts { return nil }
        var delay = first
        for _ in 0..<max(0, attempt) where delay < longest { delay = delay * factor }
        return min(delay, longest) * (1 - jitter + 2 * jitter * chance)
    }
}
