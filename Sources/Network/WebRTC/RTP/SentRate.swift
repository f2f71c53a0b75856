import Media

/// What was sent in the last moments. A value without a clock.
package struct SentRate {
    /// The longest time over which it is measured.
    private static let longest = MediaTime(milliseconds: 1000)
    private static let leastTime = MediaTime(milliseconds: 300)

    private var sent: [(time: MediaTime, byteCount: Int)] = []
    private var start: MediaTime?

    package init() {}

    package mutating func add(byteCount: Int, at time: MediaTime) {
        start = start ?? time
        sent.append((time, byteCount))
        // Not for each packet.
        if sent.count >= 64, time - sent[sent.count / 2].time > Self.longest { sent.removeFirst(sent.count / 2) }
    }

    /// Bit/s and packets in the time before `time`, at most a second; nil at the start.
    package func value(over window: MediaTime = longest, at time: MediaTime) -> (rate: Double, packetCount: Int)? {
        guard let start, time - start >= Self.leastTime else { return nil }
        let length = min(time - start, window, Self.longest)
        let last = sent.reversed().prefix { $0.time > time - length }
        let byteCount = last.reduce(0) { $0 + $1.byteCount }
        return (Double(byteCount) * 8 / length.seconds, last.count)
    }
}
