/// When a live destination is connected again (`docs/protocols.md`, Retry). The host uses it for every destination, and
/// an extension that connects by itself uses it inside its process.
package struct ReconnectionPolicy: Sendable, Equatable {
    package var waits: Backoff
    /// The maximum number of tries in a row that fail; nil: the number is not limited after a connection was accepted
    /// once.
    package var maximumAttempts: Int?
    /// That number while no connection was accepted yet and `maximumAttempts` is nil.
    package var attemptsBeforeAccepted: Int
    /// A connection counts as accepted if it lasted this long after the far end accepted it. Some servers accept every
    /// stream key, and close the connection at once.
    package var trial = Duration.seconds(1)
    /// A connection that lasted this long is stable. If it is not known whether the far end accepted anything, a
    /// connection counts as accepted after this time.
    package var stable = Duration.seconds(60)
    /// The maximum wait after connections that were accepted and did not last.
    package var longestUnstableWait = Duration.seconds(10)

    package init(waits: Backoff, maximumAttempts: Int? = nil, attemptsBeforeAccepted: Int = 20) {
        self.waits = waits
        self.maximumAttempts = maximumAttempts
        self.attemptsBeforeAccepted = attemptsBeforeAccepted
    }

    /// The policy of live destinations: waits from 2 s to 60 s, changed by up to a fifth.
    package static let liveDestination = ReconnectionPolicy(
        waits: Backoff(first: .seconds(2), longest: .seconds(60), jitter: 0.2))

    /// The duration of `maximumAttempts` waits: the limit for an outage during which the far end makes the tries; nil
    /// if there is no limit.
    package var longestOutage: Duration? {
        maximumAttempts.map { count in
            (0..<count).reduce(.zero) { sum, attempt in sum + waits.delay(afterFailures: attempt + 1) }
        }
    }
}

/// Counts the connections of one destination, and returns the waits between them. A value without a clock: `now` is the
/// time since any fixed moment.
package struct Reconnection: Sendable {
    private let policy: ReconnectionPolicy
    private let longestOutage: Duration?
    /// The number of tries since the last accepted connection.
    private var attempts = 0
    /// The connection that the far end accepted, while it lasts.
    private var connection: (start: Duration, trial: Duration)?
    /// True if tries were made without a limit. They do not count after the connection for which they were made.
    private var hasUnlimitedTries = false
    private var wasAccepted: Bool
    /// The start of the outage; nil during a connection.
    private var outageStart: Duration?
    /// The number of accepted connections in a row that were not stable.
    package private(set) var shortConnections = 0

    /// - Parameter wasAccepted: true if an earlier process had a connection.
    package init(_ policy: ReconnectionPolicy, wasAccepted: Bool = false) {
        self.policy = policy
        longestOutage = policy.longestOutage
        self.wasAccepted = wasAccepted
    }

    /// The far end accepts the stream. Calls during a connection have no effect.
    ///
    /// - Parameter isConfirmed: true if the far end answered; false if it is only not known to have failed.
    package mutating func accepted(at now: Duration, isConfirmed: Bool) {
        guard connection == nil else { return }
        connection = (now, isConfirmed ? policy.trial : policy.stable)
        outageStart = nil
        if hasUnlimitedTries { attempts = 0 }
        hasUnlimitedTries = false
    }

    /// The connection, or the try to make one, ended. Further calls before the next `accepted` have no effect.
    package mutating func ended(at now: Duration) {
        if outageStart == nil { outageStart = now }
        guard let (start, trial) = connection else { return }
        connection = nil
        guard now - start >= trial else { return }
        attempts = 0
        wasAccepted = true
        shortConnections = now - start >= policy.stable ? 0 : shortConnections + 1
    }

    /// Counts a try and returns the wait before it; nil if there is no further try.
    ///
    /// - Parameters:
    ///   - isLimited: false if the number of tries is not limited.
    ///   - chance: a random number from 0 to 1.
    package mutating func nextWait(isLimited: Bool = true, chance: Double = 0.5) -> Duration? {
        if isLimited, hasUnlimitedTries { (attempts, hasUnlimitedTries) = (0, false) }
        if isLimited, let limit = policy.maximumAttempts ?? (wasAccepted ? nil : policy.attemptsBeforeAccepted),
            attempts >= limit
        {
            return nil
        }
        attempts += 1
        if !isLimited { hasUnlimitedTries = true }
        let wait = policy.waits.delay(afterFailures: attempts, chance: chance)
        // The first short connection is an outage like any other.
        guard shortConnections > 1 else { return wait }
        return max(
            wait, min(policy.waits.delay(afterFailures: shortConnections, chance: chance), policy.longestUnstableWait))
    }

    /// Ends the tries if the far end, which makes them itself, has made them for as long as the policy allows. Returns
    /// true in that case.
    package mutating func giveUpIfOverdue(at now: Duration) -> Bool {
        guard let outageStart, let limit = longestOutage, now - outageStart >= limit else { return false }
        attempts = Int.max
        return true
    }
}
