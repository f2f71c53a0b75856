import Media

/// Spreads a large picture over time, so that it does not overflow the queue of a router. A value without a clock.
///
/// libsrt sends what it gets at once, unless it paces with `SRTO_INPUTBW`. That option keeps the time at which a packet was given to
/// libsrt, so a receiver with a short latency would drop the end of a picture as too late. Here, packets get their time when they
/// are sent.
package struct SendBudget: Sendable {
    /// The rate in bytes per second while no limit of the line is known, at least.
    private static let fastest = 1_500_000.0
    /// The number of bytes that are sent at once: less than a router's queue holds.
    private static let burst = 16_000.0

    private var rate = fastest
    private var allowance = burst
    private var last: MediaTime

    /// - Parameter time: now, on a clock that never goes back.
    package init(at time: MediaTime) {
        last = time
    }

    /// Sets the rate: several times that of the stream, or a little more than the line takes if a limit is known. It is never below the
    /// rate of the stream, because this spreads pictures and limits nothing.
    ///
    /// - Parameters:
    ///   - ceiling: what the line takes in kbit/s; nil if no limit is known.
    ///   - stream: the rate of the stream in bytes per second; nil before it was measured.
    package mutating func setRate(ceiling: Int?, stream: Double?) {
        let stream = stream ?? 0
        let open = max(Self.fastest, 4 * stream)
        rate = ceiling.map { min(open, 1.05 * max(Double($0) * 1000 / 8, stream)) } ?? open
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
