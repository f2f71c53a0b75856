import Media

/// Sends a large picture over some time, as the line takes it: a burst of a hundred packets overflows the queue of a
/// router. A value without a clock.
package struct Pacer {
    /// How much faster than the estimate it sends.
    private static let factor = 1.5
    /// What may be sent at once, in bytes.
    private static let burst = 20_000.0
    /// A picture that waits longer is of no use.
    package static let longestWait = MediaTime(milliseconds: 500)

    private var waiting: [(packet: RTPPacket, since: MediaTime)] = []
    private var first = 0
    private var budget = burst
    private var last: MediaTime?
    package private(set) var waitingBytes = 0

    package init() {}

    package var isEmpty: Bool { first == waiting.count }

    package mutating func add(_ packet: RTPPacket, at time: MediaTime) {
        waiting.append((packet, time))
        waitingBytes += packet.bytes.count
    }

    /// Returns the packets that may be sent now.
    ///
    /// - Parameter rate: what the line takes, in bit/s.
    package mutating func take(rate: Double, at time: MediaTime) -> [RTPPacket] {
        let passed = last.map { (time - $0).seconds } ?? 0
        last = time
        budget = min(Self.burst, budget + passed * rate * Self.factor / 8)
        var packets: [RTPPacket] = []
        while !isEmpty, budget > 0 {
            let packet = waiting[first].packet
            first += 1
            waitingBytes -= packet.bytes.count
            budget -= Double(packet.bytes.count)
            packets.append(packet)
        }
        if first > 512 || isEmpty {
            waiting.removeFirst(first)
            first = 0
        }
        return packets
    }

    /// When the next packet may be sent; nil if none waits.
    package func nextDeadline(rate: Double) -> MediaTime? {
        guard !isEmpty, let last else { return isEmpty ? nil : .zero }
        let seconds = max(0, -budget) * 8 / (rate * Self.factor)
        // Not for each packet of its own.
        return last + max(MediaTime(seconds: seconds), MediaTime(milliseconds: 2))
    }

    /// True if what waits is too old.
    package func isLate(at time: MediaTime) -> Bool { !isEmpty && time - waiting[first].since > Self.longestWait }

    /// Drops what waits.
    package mutating func removeAll() {
        (waiting, first, waitingBytes) = ([], 0, 0)
    }
}
