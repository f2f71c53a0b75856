import Media

/// How many bytes may wait in libsrt, which sends them, and sends them again where they were lost: what the stream brought in half a second.
/// All else waits in the sender's queue, which knows pictures from sound; what libsrt lets go of, it lets go of blindly.
///
/// It is counted in bytes and not in time, for a whole backlog that is handed over at once has one time.
package struct SendWindow: Sendable {
    /// Until the stream's rate is known, and at least: otherwise a line whose answers take long would never show what it can do.
    private static let smallest = 64 << 10
    /// The rate is measured over that much of the stream.
    private static let measure = MediaTime(milliseconds: 500)

    private let duration: MediaTime
    private var start: MediaTime?
    private var measuredByteCount = 0
    private var bytesPerSecond: Double?

    /// - Parameter latency: for how long the receiver holds the stream back, milliseconds; four round trips, where it is well chosen.
    ///   Three of them may be under way: what was lost was then asked for and sent again.
    package init(latency: Int32) {
        duration = MediaTime(milliseconds: max(500, Int64(latency) * 3 / 4))
    }

    /// What may wait, bytes.
    package var byteCount: Int {
        max(Self.smallest, Int((bytesPerSecond ?? 0) * duration.seconds))
    }

    /// Tells of a packet that is about to be sent.
    ///
    /// - Parameter time: its decode time. Where pictures were dropped it jumps, and the window shrinks to what the line takes.
    package mutating func add(byteCount: Int, at time: MediaTime) {
        let start = self.start ?? time
        self.start = start
        let elapsed = time - start
        if elapsed >= Self.measure {
            let rate = Double(measuredByteCount) / elapsed.seconds
            bytesPerSecond = bytesPerSecond.map { ($0 + rate) / 2 } ?? rate
            self.start = time
            measuredByteCount = 0
        }
        measuredByteCount += byteCount
    }
}
