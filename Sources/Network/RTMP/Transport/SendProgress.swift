import NIOCore

/// Detects whether bytes are still being sent while the channel is not writable.
struct SendProgress {
    /// Bytes that were passed to the channel since the start.
    var enqueued: UInt64 = 0
    private var lastSent: UInt64 = 0
    private var lastMove = NIODeadline.uptimeNanoseconds(0)
    private var isWatching = false

    /// Starts a measurement when the channel becomes not writable. `sent` is the number of bytes sent so far.
    mutating func begin(sent: UInt64, now: NIODeadline) {
        lastSent = sent
        lastMove = now
    }

    /// Marks the start of a watch. Returns false if a watch is already active.
    mutating func startWatching() -> Bool {
        defer { isWatching = true }
        return !isWatching
    }

    mutating func stopWatching() {
        isWatching = false
    }

    /// Returns true if no byte was sent for at least `deadline`.
    mutating func hasStalled(sent: UInt64, now: NIODeadline, deadline: TimeAmount) -> Bool {
        if sent != lastSent { begin(sent: sent, now: now) }
        return now - lastMove >= deadline
    }
}
