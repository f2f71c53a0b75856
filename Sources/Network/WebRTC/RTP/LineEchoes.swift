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

    /// The least time between two checks.
    private static let interval = MediaTime(milliseconds: 30)
    /// After a longer time without a check, what was before says nothing.
    private static let longestPause = MediaTime(milliseconds: 1000)
    private static let mostChecks = 64
    /// A receiver that is busy for a moment answers some checks late, but not all of so many.
    private static let delayCount = 3
    private static let baseDuration = MediaTime(milliseconds: 20_000)

    private var checks: [(time: MediaTime, byteCount: Int, packetCount: Int)] = []
    private var lastCheck: MediaTime?
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
    package func isDue(at time: MediaTime) -> Bool { lastCheck.map { time - $0 >= Self.interval } ?? true }

    /// Notes a check that is sent now, before a picture.
    package mutating func noteCheck(at time: MediaTime) {
        if let lastCheck, time - lastCheck > Self.longestPause {
            checks = []
            delays = []
            (byteCount, packetCount) = (0, 0)
        }
        lastCheck = time
        if checks.count == Self.mostChecks { checks.removeFirst() }
        checks.append((time, byteCount, packetCount))
        (byteCount, packetCount) = (0, 0)
    }

    /// Notes the answer to the check that was sent at `sent`. Returns nil if that was no check of these, or an older
    /// one than the last that was answered.
    package mutating func noteAnswer(toCheckAt sent: MediaTime, at time: MediaTime) -> Echo? {
        guard let index = checks.firstIndex(where: { $0.time == sent }) else { return nil }
        let answered = checks[...index]
        checks.removeFirst(answered.count)
        delays = delays.suffix(Self.delayCount - 1) + [base.excess(of: time - sent, at: time)]
        return Echo(
            byteCount: answered.reduce(0) { $0 + $1.byteCount },
            packetCount: answered.reduce(0) { $0 + $1.packetCount },
            delay: delays.count == Self.delayCount ? delays.min() ?? .zero : .zero)
    }
}
