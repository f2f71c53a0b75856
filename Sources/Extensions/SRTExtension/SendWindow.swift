import Media

/// The number of bytes that libsrt holds, which sends them and retransmits lost ones: the bytes of half a second of the
/// stream, or of three quarters of the latency if that is longer. All other packets wait in the sender's queue, which
/// drops pictures before sound; libsrt cannot distinguish them.
///
/// The limit is in bytes and not in time, because all packets of a backlog that is sent at once have the same time.
package struct SendWindow: Sendable {
    /// The minimum in bytes, also used until the rate is known. A smaller window would limit a connection with a long
    /// round trip.
    private static let smallest = 64 << 10
    /// The rate is measured over this much of the stream.
    private static let measure = MediaTime(milliseconds: 500)

    private let duration: MediaTime
    private var start: MediaTime?
    private var measuredByteCount = 0
    /// The rate of the stream; nil before it was measured.
    package private(set) var bytesPerSecond: Double?

    /// - Parameter latency: the receiver's delay in milliseconds. If it is well chosen, it is four round trips. Up to
    ///   three of them can be in progress: a lost packet was then requested and sent again.
    package init(latency: Int32) {
        duration = MediaTime(milliseconds: max(500, Int64(latency) * 3 / 4))
    }

    /// The maximum number of bytes that can wait in libsrt.
    package var byteCount: Int {
        max(Self.smallest, Int((bytesPerSecond ?? 0) * duration.seconds))
    }

    /// Records a packet that is about to be sent.
    ///
    /// - Parameter time: the packet's decode time. If pictures were dropped, it jumps, and the window shrinks to the
    ///   rate of the connection.
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
