import Media

/// What a receiver that does not report arrivals shows of the line: the packets that it asks for, the round trips of
/// its reports, and its own estimate (REMB). A value without a clock.
///
/// The estimate alone is no reason to send less: receivers that are busy take their own delays for those of the line.
/// It counts if packets are lost, or if the round trip shows that they wait.
package struct LineEvidence {
    /// The time over which losses count.
    private static let window = MediaTime(milliseconds: 500)
    private static let heavyLoss = 0.1
    /// Fewer packets say little about losses.
    private static let leastPackets = 30
    /// A round trip that is longer than the shortest one by this is that of a full line.
    private static let longDelay = MediaTime(milliseconds: 100)
    /// How long a round trip and an estimate count.
    private static let memory = MediaTime(milliseconds: 1500)
    /// The share of what arrives on a full line, with which it empties.
    private static let fullShare = 0.85
    /// The stream needs so long to follow.
    private static let interval = MediaTime(milliseconds: 400)

    private var missing: [(time: MediaTime, count: Int)] = []
    private var reported: (time: MediaTime, loss: Double)?
    private var limit: (time: MediaTime, rate: Double)?
    private var base = DelayBase(duration: MediaTime(milliseconds: 20_000))
    private var waiting: (time: MediaTime, delay: MediaTime)?
    private var lastVerdict: MediaTime?

    package init() {}

    /// Notes packets that the receiver asks for, for the first time.
    package mutating func noteMissing(_ count: Int, at time: MediaTime) {
        missing.removeAll { time - $0.time > Self.window }
        missing.append((time, count))
    }

    /// Notes the share of lost packets in a report, for receivers that do not ask for them.
    package mutating func noteLoss(_ share: Double, at time: MediaTime) { reported = (time, share) }

    /// Notes what the receiver estimates, in bit/s.
    package mutating func noteLimit(_ rate: Double, at time: MediaTime) { limit = (time, rate) }

    /// Notes the time that a report and its answer took.
    package mutating func noteRoundTrip(_ length: MediaTime, at time: MediaTime) {
        waiting = (time, base.excess(of: length, at: time))
    }

    /// Returns what the line takes, in bit/s, if it is less than what is sent.
    package mutating func verdict(on sent: SentRate, at time: MediaTime) -> Double? {
        guard lastVerdict.map({ time - $0 >= Self.interval }) ?? true,
            let (rate, packetCount) = sent.value(over: Self.window, at: time)
        else { return nil }
        let missingCount = missing.reduce(0) { $0 + (time - $1.time <= Self.window ? $1.count : 0) }
        let asked = min(1, Double(missingCount) / Double(max(1, packetCount)))
        let loss = max(asked, reported.map { $0.time == time ? $0.loss : 0 } ?? 0)
        let isLossy = packetCount >= Self.leastPackets && loss > Self.heavyLoss
        let isFull =
            rate > RateEstimator.quietRate
            && waiting.map { time - $0.time <= Self.memory && $0.delay > Self.longDelay } ?? false
        guard isLossy || isFull else { return nil }
        lastVerdict = time
        var taken = rate * (isLossy ? 1 - loss / 2 : Self.fullShare)
        if let limit, time - limit.time <= Self.memory { taken = min(taken, limit.rate) }
        // What has arrived is what the line takes; a little less empties it. An estimate below that is of a moment in
        // which less was sent.
        return max(taken, rate * (1 - loss) * Self.fullShare)
    }
}
