import Synchronization

/// What a publisher has sent so far.
public struct RTMPStatistics: Sendable, Equatable {
    /// Bytes that were handed to the system, commands and headers included.
    public var bytesSent: UInt64
    /// Bytes that the server says it has received; servers say so every few megabytes, and some never do.
    public var bytesAcknowledged: UInt64
    /// The backlog: bytes that were handed over and that the system has not taken yet. Beside these it holds some 32 KiB
    /// unsent itself (`TCP_NOTSENT_LOWAT`); whoever has to wait for more holds it back.
    public var bytesQueued: UInt64
}

/// The counters behind it: written on the event loop, read from anywhere.
final class RTMPCounters: Sendable {
    let sent = Atomic<UInt64>(0)
    let acknowledged = Atomic<UInt64>(0)
    let queued = Atomic<UInt64>(0)
    private let reconnect = Mutex<RTMPReconnectRequest?>(nil)

    /// The server's latest wish.
    var reconnectRequest: RTMPReconnectRequest? { reconnect.withLock { $0 } }

    /// The server wants another connection.
    func request(_ request: RTMPReconnectRequest) {
        reconnect.withLock { $0 = request }
    }

    var statistics: RTMPStatistics {
        RTMPStatistics(
            bytesSent: sent.load(ordering: .relaxed), bytesAcknowledged: acknowledged.load(ordering: .relaxed),
            bytesQueued: queued.load(ordering: .relaxed))
    }
}
