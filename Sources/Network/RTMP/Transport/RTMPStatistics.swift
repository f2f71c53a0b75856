import Synchronization

/// The bytes that a publisher has sent so far.
public struct RTMPStatistics: Sendable, Equatable {
    /// Bytes that were passed to the system, including commands and headers.
    public var bytesSent: UInt64
    /// Bytes that the server acknowledged. Servers acknowledge every few megabytes, and some never do.
    public var bytesAcknowledged: UInt64
    /// The backlog: bytes in the channel that the system has not accepted yet. The system itself holds about 32 KiB
    /// more unsent (`TCP_NOTSENT_LOWAT`). Up to 64 KiB can be on their way to the channel; further packets wait in the
    /// caller's queue.
    public var bytesQueued: UInt64
}

/// The counters of `RTMPStatistics`. The event loop writes them, and any thread can read them.
final class RTMPCounters: Sendable {
    let sent = Atomic<UInt64>(0)
    let acknowledged = Atomic<UInt64>(0)
    let queued = Atomic<UInt64>(0)
    private let reconnect = Mutex<RTMPReconnectRequest?>(nil)

    /// The server's latest reconnect request, or nil.
    var reconnectRequest: RTMPReconnectRequest? { reconnect.withLock { $0 } }

    /// Stores the server's reconnect request.
    func request(_ request: RTMPReconnectRequest) {
        reconnect.withLock { $0 = request }
    }

    var statistics: RTMPStatistics {
        RTMPStatistics(
            bytesSent: sent.load(ordering: .relaxed), bytesAcknowledged: acknowledged.load(ordering: .relaxed),
            bytesQueued: queued.load(ordering: .relaxed))
    }
}
