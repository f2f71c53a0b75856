/// The rate of something that is counted, over the last seconds. A value without a clock.
package struct RateMeter: Sendable {
    private static let window = MediaTime(milliseconds: 2000)
    private var readings: [(time: MediaTime, count: Int)] = []

    package init() {}

    /// Takes the count as of `time`.
    package mutating func note(_ count: Int, at time: MediaTime) {
        readings.append((time, count))
        while readings.count > 2 && time - readings[1].time >= Self.window { readings.removeFirst() }
    }

    /// Counts a second.
    package var rate: Double {
        guard let first = readings.first, let last = readings.last, last.time > first.time else { return 0 }
        return Double(last.count - first.count) / (last.time - first.time).seconds
    }
}
