import Media

/// What a line delivers to a receiver that does not report arrivals. Checks (RFC 8445) go the same way, each before a
/// picture, and wait behind the pictures before it. The answer tells when all that was sent before has arrived, and how
/// much of it still waited. A value without a clock.
package struct LineEchoes {
    /// What an answer shows.
    package struct Echo: Equatable {
        /// What was sent between the checks that were answered, and has arrived since the answer before.
        package var byteCount: Int
        package var packetCount: Int
        /// How long the check has waited in the line, at least.
        package var delay: MediaTime
    }

    /// The least time between two checks, and the one on a line that takes little.
    private static let interval = MediaTime(milliseconds: 30)
    private static let longInterval = MediaTime(milliseconds: 100)
    /// On a narrow line, a stream below this rate, in bit/s, shows nothing.
    private static let leastRate = 75_000.0
    /// After a longer time without a check, what was before says nothing.
    private static let longestPause = MediaTime(milliseconds: 1000)
    /// No more checks are sent while so many are not answered, or before the oldest of them is lost.
    private static let mostChecks = 32
    private static let longestRoundTrip = MediaTime(milliseconds: 15_000)
    /// Of so many round trips in a row, the shortest counts.
    private static let delayCount = 3
    /// Answers that come together after a pause of the receiver are one round trip: a line spaces them.
    private static let burst = MediaTime(milliseconds: 10)
    /// A line that does not answer a check for so long is full.
    private static let longWait = MediaTime(milliseconds: 1000)
    private static let baseDuration = MediaTime(milliseconds: 20_000)

    private var checks: [(time: MediaTime, byteCount: Int, packetCount: Int)] = []
    private var lastCheck: MediaTime?
    private var lastAnswer: MediaTime?
    private var byteCount = 0
    private var packetCount = 0
    private var base = DelayBase(duration: baseDuration)
    private var delays: [MediaTime] = []

    package init() {}

    /// Notes a packet that is sent.
    package mutating func noteSent(byteCount: Int) {
        self.byteCount += byteCount
        packetCount += 1
    }

    /// True if a check is due before the next picture.
    ///
    /// - Parameters:
    ///   - rate: what is sent, in bit/s.
    ///   - isNarrow: true if the line was full.
    package func isDue(at time: MediaTime, rate: Double, isNarrow: Bool) -> Bool {
        let isMoving = rate > RateEstimator.quietRate
        guard isMoving || isNarrow && rate > Self.leastRate,
            lastCheck.map({ time - $0 >= (isMoving ? Self.interval : Self.longInterval) }) ?? true
        else { return false }
        return checks.count < Self.mostChecks || time - checks[0].time > Self.longestRoundTrip
    }

    /// True if the receiver has answered checks, and one was sent long ago that is not answered yet.
    package func isWaiting(at time: MediaTime) -> Bool {
        guard lastAnswer != nil, let oldest = checks.first else { return false }
        return (Self.longWait...Self.longestRoundTrip).contains(time - oldest.time)
    }

    /// Notes a check that is sent now, before a picture.
    package mutating func noteCheck(at time: MediaTime) {
        if let lastCheck, time - lastCheck > Self.longestPause, !isWaiting(at: time) {
            checks = []
            delays = []
            (byteCount, packetCount) = (0, 0)
        }
        lastCheck = time
        checks.removeAll { time - $0.time > Self.longestRoundTrip }
        checks.append((time, byteCount, packetCount))
        (byteCount, packetCount) = (0, 0)
    }

    /// Notes the answer to the check that was sent at `sent`. Returns nil if that was no check of these, or an older
    /// one than the last that was answered.
    package mutating func noteAnswer(toCheckAt sent: MediaTime, at time: MediaTime) -> Echo? {
        guard let index = checks.firstIndex(where: { $0.time == sent }) else { return nil }
        let answered = checks[...index]
        checks.removeFirst(answered.count)
        if let lastAnswer, time - lastAnswer < Self.burst, !delays.isEmpty { delays.removeLast() }
        lastAnswer = time
        delays = delays.suffix(Self.delayCount - 1) + [base.excess(of: time - sent, at: time)]
        return Echo(
            byteCount: answered.reduce(0) { $0 + $1.byteCount },
            packetCount: answered.reduce(0) { $0 + $1.packetCount },
            delay: delays.count == Self.delayCount ? delays.min() ?? .zero : .zero)
    }
}
