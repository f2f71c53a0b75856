import Media

/// Spreads a large picture over time, so that it does not overflow the queue of a router. A value without a clock.
///
/// libsrt sends what it gets at once, unless it paces with `SRTO_INPUTBW`. That option keeps the time at which a packet
/// was given to libsrt, so a receiver with a short latency can drop the end of a picture as too late. Here, packets get
/// their time when they are sent.
package struct SendBudget: Sendable {
    /// The rate in bytes per second while no limit of the line is known, at least.
    private static let fastest = 1_500_000.0
    /// The number of bytes that are sent at once: less than a router's queue holds.
    private static let burst = 16_000.0

    /// A picture of a second of the bitrate waits for less than this. The queue drops pictures above two seconds.
    private static let longBacklog = MediaTime(milliseconds: 1500)

    private var rate = fastest
    private var allowance = burst
    private var last: MediaTime

    /// - Parameter time: now, on a clock that never goes back.
    package init(at time: MediaTime) {
        last = time
    }

    /// Sets the rate: several times that of the stream, or a little more than the line takes if a limit is known. If
    /// much waits, the encoder sends more than that, so the stream goes out at its own rate: this spreads pictures and
    /// limits nothing.
    ///
    /// - Parameters:
    ///   - ceiling: what the line takes in kbit/s; nil if no limit is known.
    ///   - stream: the rate of the stream in bytes per second; nil before it was measured.
    ///   - backlog: the media that waits.
    package mutating func setRate(ceiling: Int?, stream: Double?, backlog: MediaTime) {
        let stream = stream ?? 0
        let open = max(Self.fastest, 4 * stream)
        let floor = backlog > Self.longBacklog ? stream : 0
        rate = ceiling.map { min(open, 1.05 * max(Double($0) * 1000 / 8, floor)) } ?? open
    }

    /// Takes the bytes of a packet. Returns false if the packet must wait.
    package mutating func take(_ byteCount: Int, at time: MediaTime) -> Bool {
        allowance = min(max(Self.burst, rate * 0.01), allowance + rate * max(0, (time - last).seconds))
        last = time
        guard allowance > 0 else { return false }
        allowance -= Double(byteCount)
        return true
    }
}
