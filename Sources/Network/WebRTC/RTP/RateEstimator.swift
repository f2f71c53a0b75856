import Media

/// Estimates what the line takes, from the arrivals that the receiver reports, or from its answers to checks
/// (`LineEchoes`). A value without a clock.
///
/// Packets that are under way for longer than the fastest ones of the last seconds wait in the line: the line is full.
/// Then the estimate falls below what has arrived; otherwise it rises slowly, and never far above what is sent, or what
/// a line has delivered that was full not long ago.
package struct RateEstimator {
    /// The time after which the estimate changes.
    private static let interval = MediaTime(milliseconds: 300)
    /// The least time in which arrivals can be counted.
    private static let shortInterval = MediaTime(milliseconds: 100)
    /// A delay that only a queue makes.
    private static let longDelay = MediaTime(milliseconds: 60)
    private static let longestWindow = MediaTime(milliseconds: 1500)
    private static let heavyLoss = 0.1
    /// With a smaller share of lost packets, the line may take more.
    package static let smallLoss = 0.02
    /// The share of what a full line delivers with which it empties, and the one for a queue that would need long.
    private static let emptyingShare = 0.85
    private static let smallEmptyingShare = 0.6
    private static let veryLongDelay = MediaTime(milliseconds: 500)
    /// How much the estimate rises with a report of arrivals, and in a second without them.
    private static let climb = 1.04
    private static let climbBySecond = 1.08
    /// How much more than what it has delivered is tried on a line that was full: the rest of its queue is small.
    private static let slack = 1.15
    /// A line that delivers so much more than when it was full has become wider.
    private static let widerLine = 1.3
    /// For so long, a line that was full counts as narrow.
    private static let capacityMemory = MediaTime(milliseconds: 60_000)
    /// The factor by which packets are sent faster than the estimate. It is smaller on a narrow line, because its queue
    /// loses packets.
    private static let haste = 1.5
    private static let smallHaste = 1.2
    /// The least share of what a full line has delivered just now: packets that its queue loses do not make it
    /// narrower.
    private static let leastShare = 0.6
    /// For so long.
    private static let leastShareMemory = MediaTime(milliseconds: 2000)
    /// For so long, a packet that is asked for again is the same one.
    private static let askedMemory = MediaTime(milliseconds: 1000)
    /// Fewer packets say little about losses.
    private static let leastPackets = 30
    /// A stream below this rate, in bit/s, does not fill a line of today: its delay says little about the line.
    package static let quietRate = 600_000.0
    package static let standard = 10_000_000.0
    package static let smallest = 150_000.0
    package static let largest = 100_000_000.0
    /// Packets whose times are kept: those of 2 s at 20 Mbit/s.
    private static let windowSize = 4096

    /// What a line delivered that was full, in bit/s.
    private struct Capacity {
        /// When it was full last.
        var full: Double
        var time: MediaTime
        /// The most since then.
        var most: Double
    }

    /// What the line takes, in bit/s.
    package private(set) var estimate: Double
    /// With what rate packets are sent, in bit/s.
    package var pace: Double { estimate * (capacity == nil ? Self.haste : Self.smallHaste) }
    /// True if the line was full, and is not known to take more than the stream needs.
    package private(set) var isLimited = false
    /// How long packets wait in the line, smoothed.
    package private(set) var delay = MediaTime.zero

    private struct SentPacket {
        var time = MediaTime.zero
        /// In bytes; 0 without a packet.
        var size: UInt32 = 0
    }

    private var sent = [SentPacket](repeating: SentPacket(), count: windowSize)
    private var base = DelayBase(duration: MediaTime(milliseconds: 10_000))
    private var windowStart: MediaTime?
    /// In the present window.
    private var sentBytes = 0
    private var arrivedBytes = 0
    private var arrived = 0
    private var missing = 0
    private var asked: [UInt16: MediaTime] = [:]
    /// True if the line was full at the end of the last window.
    private var wasFull = false
    /// Nil if the line is not known to be narrow. Also nil if the stream does not follow the estimate: then packets
    /// that wait too long are dropped, so they are sent as fast as before.
    private var capacity: Capacity?
    private let isFollowed: Bool
    /// The most that has arrived in a second since the line was full, in bit/s: a screen that is still for a while does
    /// not show that the line is wide again.
    private var peak = 0.0

    /// - Parameters:
    ///   - rate: what the line takes, in bit/s, until something has arrived.
    ///   - isFollowed: true if the stream's bitrate follows the estimate.
    package init(_ rate: Double = standard, isFollowed: Bool) {
        estimate = rate
        self.isFollowed = isFollowed
    }

    /// Notes a packet that is sent.
    package mutating func noteSent(_ number: UInt16, size: Int, at time: MediaTime) {
        sent[Int(number) % Self.windowSize] = SentPacket(time: time, size: UInt32(size))
        noteSent(byteCount: size)
    }

    /// Notes a packet that is sent, whose arrival is not reported.
    package mutating func noteSent(byteCount: Int) { sentBytes += byteCount }

    /// Takes a report of arrivals.
    package mutating func note(_ feedback: TransportFeedback, at time: MediaTime) {
        for (offset, arrival) in feedback.arrivals.enumerated() {
            let index = Int(feedback.first &+ UInt16(offset)) % Self.windowSize
            let packet = sent[index]
            guard packet.size > 0 else { continue }
            guard let arrival else {
                missing += 1
                continue
            }
            sent[index].size = 0
            arrived += 1
            arrivedBytes += Int(packet.size)
            noteDelay(arrival - packet.time, at: time)
        }
        guard let length = endWindow(at: time) else { return }
        let loss = Double(missing) / Double(max(1, missing + arrived))
        let isLossy = loss > Self.heavyLoss && missing + arrived >= Self.leastPackets
        update(delivered: Double(arrivedBytes) * 8 / length.seconds, in: length, at: time) {
            if isLossy {
                $0.estimate = max(Self.smallest, $0.estimate * (1 - loss / 2))
                $0.limit(at: $1)
            } else {
                $0.climb(by: Self.climb, delivered: $1)
            }
        }
    }

    /// Takes what the answer to a check shows.
    package mutating func note(_ echo: LineEchoes.Echo, at time: MediaTime) {
        arrived += echo.packetCount
        arrivedBytes += echo.byteCount
        delay = echo.delay
        guard let length = endWindow(at: time) else { return }
        let loss = min(1, Double(missing) / Double(max(1, arrived)))
        update(delivered: Double(arrivedBytes) * 8 / length.seconds * (1 - loss), in: length, at: time) {
            // Whether more losses are those of a narrow line is for `LineEvidence`.
            if loss < Self.smallLoss { $0.climb(by: Self.climb, delivered: $1) }
        }
    }

    /// Notes packets that the receiver asks for: without reports of arrivals, what was sent counts as arrived until
    /// then. Each counts once.
    package mutating func noteMissing(_ numbers: [UInt16], at time: MediaTime) {
        asked = asked.filter { time - $0.value < Self.askedMemory }
        for number in numbers where asked.updateValue(time, forKey: number) == nil { missing += 1 }
    }

    /// The receiver wants no more than a rate, in bit/s.
    package mutating func fall(to rate: Double) {
        estimate = max(Self.smallest, min(estimate, rate))
        limit(at: rate)
    }

    /// The line takes no more than a rate, in bit/s, by the losses of a receiver that does not report arrivals
    /// (`LineEvidence`).
    package mutating func lose(to rate: Double, at time: MediaTime) {
        let isFresh = capacity.map { time - $0.time < Self.leastShareMemory } ?? false
        fall(to: isFresh ? max(rate, Self.leastShare * (capacity?.full ?? 0)) : rate)
    }

    /// A receiver that does not report arrivals has seen no fault for a second.
    ///
    /// - Parameter sentRate: bit/s.
    package mutating func noteCalm(sentRate: Double, at time: MediaTime) {
        forgetCapacity(at: time)
        climb(by: Self.climbBySecond, delivered: sentRate)
    }

    /// Forgets the delay of the last check, when no more checks are answered.
    package mutating func endChecks() {
        delay = .zero
        wasFull = false
    }

    /// The stream does not follow the estimate.
    package mutating func noteLateStream() { capacity = nil }

    private mutating func forgetCapacity(at time: MediaTime) {
        if let capacity, time - capacity.time > Self.capacityMemory { self.capacity = nil }
    }

    private mutating func noteDelay(_ delay: MediaTime, at time: MediaTime) {
        let excess = base.excess(of: delay, at: time)
        self.delay = MediaTime(nanoseconds: (self.delay.nanoseconds * 7 + excess.nanoseconds) / 8)
    }

    /// Returns the length of the window if it is over, and begins the next one.
    private mutating func endWindow(at time: MediaTime) -> MediaTime? {
        let start = windowStart ?? time
        windowStart = start
        // A line that has just become full is not waited for: its queue overflows.
        let length = !wasFull && delay > Self.longDelay ? Self.shortInterval : Self.interval
        guard time - start >= length else { return nil }
        windowStart = time
        guard time - start < Self.longestWindow else {
            // Nothing was reported for a while: the packets of this report did not take so long.
            (sentBytes, arrivedBytes, arrived, missing) = (0, 0, 0, 0)
            return nil
        }
        return time - start
    }

    /// Takes what has arrived in a window, in bit/s.
    ///
    /// - Parameter unlessFull: called if the line is not full.
    private mutating func update(
        delivered: Double, in length: MediaTime, at time: MediaTime,
        unlessFull: (inout Self, _ delivered: Double) -> Void
    ) {
        // A stream that is quiet, and not the line, is why little has arrived.
        let isQuiet = Double(sentBytes) * 8 / length.seconds < Self.quietRate
        (sentBytes, arrivedBytes, arrived, missing) = (0, 0, 0, 0)
        wasFull = delay > Self.longDelay
        forgetCapacity(at: time)
        if wasFull {
            let share = delay > Self.veryLongDelay ? Self.smallEmptyingShare : Self.emptyingShare
            let lowered = isQuiet ? max(delivered * share, estimate * 0.8) : delivered * share
            estimate = max(Self.smallest, min(estimate, lowered))
            limit(at: delivered)
            let isMeasured = isFollowed && delivered > Self.quietRate
            capacity = isMeasured ? Capacity(full: delivered, time: time, most: delivered) : nil
            return
        }
        if let known = capacity {
            if delivered > Self.widerLine * known.full {
                capacity = nil
            } else {
                capacity?.most = max(known.most, delivered)
            }
        }
        unlessFull(&self, delivered)
    }

    /// - Parameter rate: what the line takes, in bit/s.
    private mutating func limit(at rate: Double) {
        if !isLimited { peak = 0 }
        peak = max(peak, rate)
        isLimited = true
    }

    private mutating func climb(by factor: Double, delivered: Double) {
        let room = capacity.map { Self.slack * $0.most } ?? Self.largest
        let ceiling = max(estimate, min(2 * delivered + 500_000, room))
        estimate = min(estimate * factor, ceiling)
        // The stream does not fill it any more.
        peak = max(peak, delivered)
        if estimate > 1.8 * peak + 450_000 { isLimited = false }
    }
}
