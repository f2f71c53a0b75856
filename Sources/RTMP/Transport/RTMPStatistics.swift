import Synchronization

/// What a publisher has sent so far.
public struct RTMPStatistics: Sendable, Equatable {
    /// Bytes that were handed to the system, commands and headers included.
    public var bytesSent: UInt64
    /// Bytes that the server says it has received; servers say so every few megabytes, and some never do.
    public var bytesAcknowledged: UInt64
    /// Bytes that wait for the system to take them.
    public var bytesQueued: UInt64
}

/// The counters behind it: written on the event loop, read from anywhere.
final class RTMPCounters: Sendable {
    let sent = Atomic<UInt64>(0)
    let acknowledged = Atomic<UInt64>(0)
    let queued = Atomic<UInt64>(0)

    var statistics: RTMPStatistics {
        RTMPStatistics(
            bytesSent: sent.load(ordering: .relaxed), bytesAcknowledged: acknowledged.load(ordering: .relaxed),
            bytesQueued: queued.load(ordering: .relaxed))
    }
}
