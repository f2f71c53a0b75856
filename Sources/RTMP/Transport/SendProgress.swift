import NIOCore

/// Whether bytes still leave while the channel takes no more.
struct SendProgress {
    /// Bytes that were handed to the channel since the start.
    var enqueued: UInt64 = 0
    private var lastSent: UInt64 = 0
    private var lastMove = NIODeadline.uptimeNanoseconds(0)
    private var isWatching = false

    /// The channel has just become full, with so many bytes sent.
    mutating func begin(sent: UInt64, now: NIODeadline) {
        lastSent = sent
        lastMove = now
    }

    /// False where someone watches already.
    mutating func startWatching() -> Bool {
        defer { isWatching = true }
        return !isWatching
    }

    mutating func stopWatching() {
        isWatching = false
    }

    /// Whether nothing has left for as long as the deadline.
    mutating func hasStalled(sent: UInt64, now: NIODeadline, deadline: TimeAmount) -> Bool {
        if sent != lastSent { begin(sent: sent, now: now) }
        return now - lastMove >= deadline
    }
}
