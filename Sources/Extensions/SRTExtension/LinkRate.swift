import Media

/// Estimates the bitrate that a line takes from libsrt's counters, as a ceiling for the encoder. A value without a
/// clock.
///
/// A receiver acknowledges packets that it has given up (`SRTO_TLPKTDROP`, its default), so nothing waits here while a
/// narrow line loses packets. The signs of such a line are the round trip, which grows while the queue of a router
/// fills, and then the losses. Random losses alone do not lower the bitrate: libsrt sends those packets again.
package struct LinkRate: Sendable {
    /// The state of a connection.
    package struct Reading: Sendable {
        /// Data packets since its start, with those that were sent again.
        package var packets: Int
        /// Packets that the receiver missed, since its start.
        package var lost: Int
        /// Bytes of the packets since its start.
        package var bytes: Int
        /// Milliseconds.
        package var roundTrip: Double
        /// The media that waits in the sender while libsrt takes no more; zero if libsrt takes what it gets.
        package var backlog: MediaTime

        package init(packets: Int, lost: Int, bytes: Int, roundTrip: Double, backlog: MediaTime) {
            self.packets = packets
            self.lost = lost
            self.bytes = bytes
            self.roundTrip = roundTrip
            self.backlog = backlog
        }
    }

    package static let interval = MediaTime(milliseconds: 500)
    /// The time between two reductions: the queue of a router needs it to become shorter.
    private static let fallInterval = MediaTime(milliseconds: 1000)
    private static let climbInterval = MediaTime(milliseconds: 1000)
    /// The time without a sign of a full line after which the ceiling rises.
    private static let calm = MediaTime(milliseconds: 2000)
    /// The time for which the ceiling stays below the bitrate that was too high.
    private static let caution = MediaTime(milliseconds: 10_000)
    private static let smallest = 100
    private static let largest = 1_000_000

    /// The bitrate of picture and sound in kbit/s; nil while no limit is known.
    package private(set) var ceiling: Int?
    /// The share of the packets of the last interval that were lost, from 0 to 1.
    package private(set) var lossShare = 0.0

    /// The growth of the round trip in milliseconds that means a full line: less than the receiver waits for a packet.
    private let longDelay: Double
    private var last: (reading: Reading, time: MediaTime)?
    private var roundTrips: [Double] = []
    private var throughputs: [Int] = []
    /// The numbers of consecutive intervals with each sign.
    private var delayed = 0
    private var losing = 0
    private var waiting = 0
    private var calmSince: MediaTime?
    private var lastFall: MediaTime?
    private var lastClimb: MediaTime?
    /// What passed in kbit/s when the line was full the last time.
    private var limit: (throughput: Int, time: MediaTime)?

    /// - Parameter latency: the receiver's delay in milliseconds.
    package init(latency: Int32 = 240) {
        longDelay = max(30, min(80, Double(latency) / 3))
    }

    /// A new connection begins, possibly on another line, so nothing is known.
    package mutating func restart() {
        self = LinkRate(longDelay: longDelay)
    }

    private init(longDelay: Double) {
        self.longDelay = longDelay
    }

    /// True if the ceiling was not lowered for so long that the line is wide enough again.
    package func isRecovered(at time: MediaTime) -> Bool {
        lastFall.map { time - $0 > MediaTime(milliseconds: 20_000) } ?? true
    }

    /// True if a reading is due.
    package func isDue(at time: MediaTime) -> Bool { last.map { time - $0.time >= Self.interval } ?? true }

    /// Processes a reading. Returns true if it lowers the ceiling.
    package mutating func note(_ reading: Reading, at time: MediaTime) -> Bool {
        defer { last = (reading, time) }
        guard let (before, start) = last, time > start else { return false }
        let packets = reading.packets - before.packets
        lossShare = packets > 0 ? min(1, Double(reading.lost - before.lost) / Double(packets)) : 0
        let sent = Double(reading.bytes - before.bytes) * 8 / 1000 / (time - start).seconds
        let passed = max(1, Int(sent * (1 - lossShare)))
        throughputs = throughputs.suffix(19) + [passed]
        roundTrips = roundTrips.suffix(59) + [reading.roundTrip]
        let base = roundTrips.min() ?? reading.roundTrip
        let isDelayed = reading.roundTrip > base + max(longDelay, base / 2)
        delayed = isDelayed ? delayed + 1 : 0
        losing = lossShare > 0.15 ? losing + 1 : 0
        waiting = reading.backlog > MediaTime(milliseconds: 300) ? waiting + 1 : 0
        let overflows = losing >= 2 || isDelayed && lossShare > 0.02 || waiting >= 3
        guard overflows || delayed >= 2 else {
            if !isDelayed && losing == 0 && waiting == 0 { climb(at: time) } else { calmSince = nil }
            return false
        }
        calmSince = nil
        return fall(passed, loses: overflows && waiting < 3, at: time)
    }

    /// - Parameter loses: true if packets are lost, so that what passes is what the line takes.
    private mutating func fall(_ passed: Int, loses: Bool, at time: MediaTime) -> Bool {
        if let lastFall, time - lastFall < Self.fallInterval { return false }
        // A queue that others fill stays long whatever this sender does, and a line that is dead for a moment passes
        // nothing. Neither ends in nothing.
        let lowered = loses ? passed * 85 / 100 : max(passed * 85 / 100, (throughputs.max() ?? passed) * 6 / 10)
        lastFall = time
        limit = (passed, time)
        let new = max(Self.smallest, lowered)
        guard new < ceiling ?? .max else { return false }
        ceiling = new
        return true
    }

    private mutating func climb(at time: MediaTime) {
        let since = calmSince ?? time
        calmSince = since
        guard let ceiling, time - since >= Self.calm else { return }
        if let lastClimb, time - lastClimb < Self.climbInterval { return }
        let next = min(Self.largest, ceiling * 110 / 100 + 1)
        if let limit, next > limit.throughput * 95 / 100, time - limit.time < Self.caution { return }
        self.ceiling = next
        lastClimb = time
    }
}
