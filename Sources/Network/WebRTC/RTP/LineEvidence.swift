import Media

/// What a receiver that does not report arrivals shows of the line by losses: the packets that it asks for, those that
/// are missing in its reports, and its own estimate (REMB). A value without a clock.
///
/// The estimate alone is no reason to send less: receivers that are busy take their own delays for those of the line.
/// It counts if packets are lost.
package struct LineEvidence {
    /// The time over which losses count.
    private static let window = MediaTime(milliseconds: 500)
    private static let heavyLoss = 0.1
    /// Fewer packets say little about losses.
    private static let leastPackets = 30
    /// How long an estimate counts.
    private static let memory = MediaTime(milliseconds: 1500)
    /// The share of what arrives on a full line, with which it empties.
    private static let fullShare = 0.85
    /// The stream needs so long to follow.
    private static let interval = MediaTime(milliseconds: 400)

    private var missing: [(time: MediaTime, count: Int)] = []
    private var reported: (time: MediaTime, loss: Double)?
    private var limit: (time: MediaTime, rate: Double)?
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

    /// Returns what the line takes, in bit/s, if it is less than what is sent.
    package mutating func verdict(on sent: SentRate, at time: MediaTime) -> Double? {
        guard lastVerdict.map({ time - $0 >= Self.interval }) ?? true,
            let (rate, packetCount) = sent.value(over: Self.window, at: time)
        else { return nil }
        let missingCount = missing.reduce(0) { $0 + (time - $1.time <= Self.window ? $1.count : 0) }
        let asked = min(1, Double(missingCount) / Double(max(1, packetCount)))
        let loss = max(asked, reported.map { $0.time == time ? $0.loss : 0 } ?? 0)
        guard packetCount >= Self.leastPackets, loss > Self.heavyLoss else { return nil }
        lastVerdict = time
        var taken = rate * (1 - loss / 2)
        if let limit, time - limit.time <= Self.memory { taken = min(taken, limit.rate) }
        // What has arrived is what the line takes; a little less empties it. An estimate below that is of a moment in
        // which less was sent.
        return max(taken, rate * (1 - loss) * Self.fullShare)
    }
}
