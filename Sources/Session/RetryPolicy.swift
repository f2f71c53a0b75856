import Media

/// How often, and after what time, a lost connection is tried again (DESIGN section 11).
package struct RetryPolicy: Sendable, Equatable {
    /// Tries in a row; after a connection that lasted they are counted anew.
    package var maximumAttempts: Int
    package var firstDelay: MediaTime
    /// Each wait is so many times as long as the one before.
    package var factor: Double
    package var longestDelay: MediaTime

    package init(
        maximumAttempts: Int = 20, firstDelay: MediaTime = MediaTime(milliseconds: 2000), factor: Double = 1.5,
        longestDelay: MediaTime = MediaTime(milliseconds: 60_000)
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstDelay = firstDelay
        self.factor = factor
        self.longestDelay = longestDelay
    }

    /// The wait before the try `attempt`, counted from 0; nil where there are no more.
    ///
    /// - Parameter chance: from 0 to 1; moves it by up to a fifth either way, so that not everybody comes back at the same moment.
    package func delay(before attempt: Int, chance: Double) -> MediaTime? {
        guard attempt < maximumAttempts else { return nil }
        var seconds = firstDelay.seconds
        for _ in 0..<attempt where seconds < longestDelay.seconds { seconds *= factor }
        return MediaTime(seconds: min(seconds, longestDelay.seconds) * (0.8 + 0.4 * chance))
    }
}
