/// Who is to acknowledge how often, and what was acknowledged (Adobe RTMP 1.0, 5.4.3 to 5.4.5).
struct AcknowledgementWindows: Sendable {
    /// Bytes after which the server expects an acknowledgement; nil until it has said so.
    var incomingWindow: UInt32?
    /// The window that the server was last told to acknowledge by.
    private(set) var announcedWindow: UInt32?
    /// Bytes that the server says it has received.
    private(set) var acknowledged: UInt64 = 0

    private var receivedByteCount: UInt64 = 0
    private var lastAnswer: UInt64 = 0

    /// Counts bytes from the server; gives the sequence number to acknowledge when a window is full.
    mutating func received(_ count: Int) -> UInt32? {
        receivedByteCount += UInt64(count)
        guard let incomingWindow, incomingWindow > 0, receivedByteCount - lastAnswer >= UInt64(incomingWindow) else { return nil }
        lastAnswer = receivedByteCount
        return UInt32(truncatingIfNeeded: receivedByteCount)
    }

    /// Whether the server is to be told of this window: not if it was told the same before (5.4.5).
    mutating func announce(_ window: UInt32) -> Bool {
        guard window != announcedWindow else { return false }
        announcedWindow = window
        return true
    }

    /// The server acknowledges; its number wraps every 4 GiB, the result does not.
    mutating func acknowledge(_ sequenceNumber: UInt32) -> UInt64 {
        acknowledged += UInt64(sequenceNumber &- UInt32(truncatingIfNeeded: acknowledged))
        return acknowledged
    }
}
