/// Limits what a server sends. All publishers share one thread, so a server that sends without end would delay the
/// others. A publisher receives some kilobytes: replies, acknowledgements, pings, and the measurement of the bandwidth
/// of some servers.
package struct ReceiveLimit: Sendable {
    /// In bytes.
    private static let burst = 2_097_152.0
    /// In bytes per second.
    private static let rate = 262_144.0

    /// The bytes above the rate.
    private var excess = 0.0
    private var last: ContinuousClock.Instant?

    package init() {}

    /// Adds received bytes. Returns false if the server has sent too many.
    package mutating func allows(_ byteCount: Int, at now: ContinuousClock.Instant) -> Bool {
        let elapsed = last.map { $0.duration(to: now) / .seconds(1) } ?? 0
        last = now
        excess = max(0, excess - elapsed * Self.rate) + Double(byteCount)
        return excess <= Self.burst
    }
}
