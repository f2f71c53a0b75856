/// The acknowledgement windows of both sides, and the bytes that the server acknowledged (Adobe RTMP 1.0, 5.4.3 to
/// 5.4.5).
struct AcknowledgementWindows: Sendable {
    /// The number of bytes after which the server expects an acknowledgement, or nil before the server sets it.
    var incomingWindow: UInt32?
    /// The window in bytes that was last announced to the server, or nil before the first announcement.
    private(set) var announcedWindow: UInt32?
    /// The number of bytes that the server acknowledged.
    private(set) var acknowledged: UInt64 = 0

    private var receivedByteCount: UInt64 = 0
    private var lastAnswer: UInt64 = 0

    /// Counts received bytes.
    mutating func receive(_ count: Int) {
        receivedByteCount += UInt64(count)
    }

    /// Returns the sequence number to acknowledge, once, if a window is full, otherwise nil.
    mutating func takeAnswer() -> UInt32? {
        guard let incomingWindow, incomingWindow > 0, receivedByteCount - lastAnswer >= UInt64(incomingWindow) else {
            return nil
        }
        lastAnswer = receivedByteCount
        return UInt32(truncatingIfNeeded: receivedByteCount)
    }

    /// Returns true if this window must be sent to the server, false if the server already has the same window (5.4.5).
    mutating func announce(_ window: UInt32) -> Bool {
        guard window != announcedWindow else { return false }
        announcedWindow = window
        return true
    }

    /// Processes an acknowledgement and returns the total. The sequence number wraps every 4 GiB; the total does not.
    mutating func acknowledge(_ sequenceNumber: UInt32) -> UInt64 {
        acknowledged += UInt64(sequenceNumber &- UInt32(truncatingIfNeeded: acknowledged))
        return acknowledged
    }
}
