import Media

/// Estimates what the line takes, from the arrivals that the receiver reports. A value without a clock.
///
/// Packets that are under way for longer than the fastest ones of the last seconds wait in the line: the line is full.
/// Then the estimate falls below what has arrived; otherwise it rises slowly, and never far above what is sent.
package struct RateEstimator {
    /// The time after which the estimate changes.
    private static let interval = MediaTime(milliseconds: 300)
    /// A delay that only a queue makes.
    private static let longDelay = MediaTime(milliseconds: 60)
    private static let longestWindow = MediaTime(milliseconds: 1500)
    private static let heavyLoss = 0.1
    /// How much the estimate rises with a report of arrivals, and in a second without them.
    private static let climb = 1.04
    private static let climbBySecond = 1.08
    /// Fewer packets say little about losses.
    private static let leastPackets = 30
    /// A stream below this rate, in bit/s, does not fill a line of today: its delay says little about the line.
    package static let quietRate = 600_000.0
    package static let standard = 10_000_000.0
    package static let smallest = 150_000.0
    package static let largest = 100_000_000.0
    /// Packets whose times are kept.
    private static let windowSize = 8192

    /// What the line takes, in bit/s.
    package private(set) var estimate: Double
    /// True if the line was full, and is not known to take more than the stream needs.
    package private(set) var isLimited = false
    /// How long packets wait in the line, smoothed.
    package private(set) var delay = MediaTime.zero

    private var sent = [(time: MediaTime, size: Int)?](repeating: nil, count: windowSize)
    private var base = DelayBase(duration: MediaTime(milliseconds: 10_000))
    private var windowStart: MediaTime?
    private var arrivedBytes = 0
    private var arrived = 0
    private var missing = 0
    /// The most that has arrived in a second since the line was full, in bit/s: a screen that is still for a while does
    /// not show that the line is wide again.
    private var peak = 0.0

    /// - Parameter rate: what the line takes, in bit/s, until something has arrived.
    package init(_ rate: Double = standard) {
        estimate = rate
    }

    /// Notes a packet that is sent.
    package mutating func noteSent(_ number: UInt16, size: Int, at time: MediaTime) {
        sent[Int(number) % Self.windowSize] = (time, size)
    }

    /// Takes a report of arrivals.
    package mutating func note(_ feedback: TransportFeedback, at time: MediaTime) {
        for (offset, arrival) in feedback.arrivals.enumerated() {
            let index = Int(feedback.first &+ UInt16(offset)) % Self.windowSize
            guard let packet = sent[index] else { continue }
            guard let arrival else {
                missing += 1
                continue
            }
            sent[index] = nil
            arrived += 1
            arrivedBytes += packet.size
            noteDelay(arrival - packet.time, at: time)
        }
        let start = windowStart ?? time
        windowStart = start
        guard time - start >= Self.interval else { return }
        guard time - start < Self.longestWindow else {
            // Nothing was reported for a while: the packets of this report did not take so long.
            (windowStart, arrivedBytes, arrived, missing) = (time, 0, 0, 0)
            return
        }
        update(seconds: (time - start).seconds)
        (windowStart, arrivedBytes, arrived, missing) = (time, 0, 0, 0)
    }

    /// The line takes no more than a rate, in bit/s: a receiver that does not report arrivals has shown it
    /// (`LineEvidence`), or wants it.
    package mutating func fall(to rate: Double) {
        estimate = max(Self.smallest, min(estimate, rate))
        limit(at: rate)
    }

    /// A receiver that does not report arrivals has seen no fault for a second.
    ///
    /// - Parameter sentRate: bit/s.
    package mutating func noteCalm(sentRate: Double) { climb(by: Self.climbBySecond, delivered: sentRate) }

    private mutating func noteDelay(_ delay: MediaTime, at time: MediaTime) {
        let excess = base.excess(of: delay, at: time)
        self.delay = MediaTime(nanoseconds: (self.delay.nanoseconds * 7 + excess.nanoseconds) / 8)
    }

    private mutating func update(seconds: Double) {
        let delivered = Double(arrivedBytes) * 8 / seconds
        let loss = Double(missing) / Double(max(1, missing + arrived))
        if delay > Self.longDelay {
            let lowered = delivered < Self.quietRate ? max(delivered * 0.85, estimate * 0.8) : delivered * 0.85
            estimate = max(Self.smallest, min(estimate, lowered))
            limit(at: delivered)
        } else if loss > Self.heavyLoss, missing + arrived >= Self.leastPackets {
            estimate = max(Self.smallest, estimate * (1 - loss / 2))
            limit(at: delivered)
        } else {
            climb(by: Self.climb, delivered: delivered)
        }
    }

    /// - Parameter rate: what the line takes, in bit/s.
    private mutating func limit(at rate: Double) {
        if !isLimited { peak = 0 }
        peak = max(peak, rate)
        isLimited = true
    }

    private mutating func climb(by factor: Double, delivered: Double) {
        let ceiling = max(estimate, min(2 * delivered + 500_000, Self.largest))
        estimate = min(estimate * factor, ceiling)
        // The stream does not fill it any more.
        peak = max(peak, delivered)
        if estimate > 1.8 * peak + 450_000 { isLimited = false }
    }
}
