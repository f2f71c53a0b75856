import Media

/// Decides whether the source hangs, or whether this program did not run. A value without a clock.
///
/// A program that was stopped (SIGSTOP, a frozen control group) continues with times that look as if its capture thread
/// had hung. The thread that watches it was stopped for the same time, and slept longer than it wanted to.
package struct StallWatch: Sendable {
    /// What a look found.
    package enum Finding: Sendable, Equatable {
        /// The capture thread hangs.
        case stalled
        /// The capture thread runs again after `stalled`.
        case answersAgain
        /// This program did not run for this time.
        case stopped(for: MediaTime)
    }

    /// If the capture thread starts and ends no tick for this time, it hangs, usually in an X server that does not
    /// answer. A caller that slept longer than it wanted to by this time did not run.
    private static let limit = MediaTime(milliseconds: 1000)

    private var heartbeat = MediaTime.zero
    /// The time since `heartbeat` in which this program did not run.
    private var lost = MediaTime.zero
    private var isStalled = false

    package init() {}

    /// Call it several times a second.
    ///
    /// - Parameters:
    ///   - heartbeat: the session's time at which the capture thread last started or ended a tick.
    ///   - overslept: by how much the caller slept longer than it wanted to since the last call.
    ///   - now: the session's time.
    package mutating func look(heartbeat: MediaTime, overslept: MediaTime, now: MediaTime) -> [Finding] {
        if heartbeat != self.heartbeat { lost = .zero }
        self.heartbeat = heartbeat
        lost += max(.zero, overslept)
        var findings: [Finding] = overslept > Self.limit ? [.stopped(for: overslept)] : []
        let stalls = now - heartbeat - lost > Self.limit
        if stalls != isStalled { findings.append(stalls ? .stalled : .answersAgain) }
        isStalled = stalls
        return findings
    }
}
