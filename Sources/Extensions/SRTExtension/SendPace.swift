import Media

/// Decides when the next packet is given to libsrt. It has no clock.
///
/// Normally a packet is sent if at most `limit` bytes wait for an acknowledgement. Some servers send an acknowledgement
/// only when a packet arrives. So if no acknowledgement arrives for `probeInterval`, one more packet is sent, which
/// causes one.
package struct SendPace: Sendable {
    package enum Decision: Sendable {
        case send, wait
        /// The peer has acknowledged nothing for too long.
        case giveUp
    }

    /// The time without an acknowledgement after which one packet is sent.
    package static let probeInterval = MediaTime(milliseconds: 20)
    /// The maximum time without an acknowledgement.
    package static let progressDeadline = MediaTime(milliseconds: 5000)

    private var sentByteCount = 0
    private var acknowledgedByteCount = 0
    private var lastProgress: MediaTime
    private var lastSent: MediaTime

    /// - Parameter time: now, on a clock that never goes back.
    package init(at time: MediaTime) {
        lastProgress = time
        lastSent = time
    }

    /// True after the peer has acknowledged something.
    package var hasProgress: Bool { acknowledgedByteCount > 0 }

    /// - Parameters:
    ///   - waiting: the bytes that the peer has not acknowledged.
    ///   - limit: how many of them may wait.
    package mutating func decide(waiting: Int, limit: Int, at time: MediaTime) -> Decision {
        note(waiting: waiting, at: time)
        if waiting <= limit { return .send }
        if isStalled(at: time) { return .giveUp }
        // Twice the limit is the maximum for a connection that accepts nothing.
        return time - max(lastProgress, lastSent) >= Self.probeInterval && waiting <= 2 * limit ? .send : .wait
    }

    /// True if the peer has acknowledged nothing for `progressDeadline`.
    package func isStalled(at time: MediaTime) -> Bool { time - lastProgress >= Self.progressDeadline }

    /// Call this when a packet was given to libsrt.
    package mutating func noteSent(byteCount: Int, at time: MediaTime) {
        sentByteCount += byteCount
        lastSent = time
    }

    private mutating func note(waiting: Int, at time: MediaTime) {
        let acknowledged = sentByteCount - waiting
        if acknowledged > acknowledgedByteCount || waiting == 0 { lastProgress = time }
        acknowledgedByteCount = max(acknowledgedByteCount, acknowledged)
    }
}
