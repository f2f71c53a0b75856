import Media

/// Chooses the bitrate of a destination from its backlog and its throughput. A value, without a clock.
///
/// The bitrate is lowered at backlogs of 200, 400 and 700 ms, but not below the measured throughput. When the backlog
/// is gone, the bitrate is raised again: quickly up to the bitrate that was too high the last time, and slowly above it
/// (`docs/protocols.md`). A destination that accepts nothing has no vote, so it does not lower the quality of others
/// that share its rendition.
package struct CongestionController: Sendable {
    /// The minimum time between two reductions of the bitrate.
    private static let fallInterval = MediaTime(milliseconds: 500)
    private static let climbInterval = MediaTime(milliseconds: 1000)
    /// The time without a backlog after which the bitrate is raised.
    private static let calm = MediaTime(milliseconds: 2000)
    /// The time for which the bitrate stays below the one that was too high. After that, it is tried again.
    private static let caution = MediaTime(milliseconds: 10_000)
    /// Readings that follow each other faster are one.
    private static let readingInterval = MediaTime(milliseconds: 200)
    /// The duration over which the throughput is measured.
    private static let window = MediaTime(milliseconds: 1000)

    /// The configured bitrate of the picture in kbit/s, which `current` never exceeds.
    package let wanted: Int
    /// The bitrate of the sound in kbit/s, which does not change.
    package let audio: Int
    /// The bitrate in kbit/s that suits the destination now.
    package private(set) var current: Int
    private var readings: [(time: MediaTime, bytes: Int)] = []
    private var lastFall: MediaTime?
    private var lastClimb: MediaTime?
    private var calmSince: MediaTime?
    /// The number of readings since the start of the backlog in which more had been sent; nil while there is no
    /// backlog.
    private var progress: Int?
    /// The number of consecutive readings with a backlog. A single one does not mean that the network is slow.
    private var lateReadings = 0
    /// The bitrate in kbit/s at which the backlog last grew, and the time at which it did.
    private var ceiling: (bitrate: Int, time: MediaTime)?

    package init(wanted: Int, audio: Int) {
        self.wanted = wanted
        self.audio = audio
        current = wanted
    }

    /// Processes a reading of a destination.
    ///
    /// - Parameters:
    ///   - backlog: the duration of the media that waits.
    ///   - bytes: the number of bytes that were sent since the start.
    ///   - time: the session's time.
    /// - Returns: the bitrate in kbit/s for this destination; nil if it accepts nothing.
    package mutating func note(backlog: MediaTime, bytes: Int, at time: MediaTime) -> Int? {
        // The session looks again at once when another destination takes less.
        if let last = readings.last, time - last.time < Self.readingInterval { return current }
        readings.append((time, bytes))
        while readings.count > 2 && time - readings[1].time >= Self.window { readings.removeFirst() }
        let passed = self.passed
        let hasSent = readings.count > 1 && bytes > readings[readings.count - 2].bytes
        progress = backlog < MediaTime(milliseconds: 100) ? nil : progress.map { $0 + (hasSent ? 1 : 0) } ?? 0
        lateReadings = backlog > MediaTime(milliseconds: 200) ? lateReadings + 1 : 0
        if backlog > MediaTime(milliseconds: 200) {
            calmSince = nil
            if let passed, passed == 0 { return nil }
            // A destination that hangs looks like a slow one until it has accepted bytes again and again: the last ones
            // fill the buffers of its connection.
            if progress ?? 0 < 2 || lateReadings < 3 { return current }
            fall(backlog: backlog, passed: passed ?? wanted, at: time)
        } else if backlog < MediaTime(milliseconds: 100) {
            let since = calmSince ?? time
            calmSince = since
            if time - since >= Self.calm { climb(at: time) }
        }
        return current
    }

    /// The throughput of the picture in kbit/s, measured over `window`; nil before the first measurement.
    private var passed: Int? {
        guard let first = readings.first, let last = readings.last,
            last.time - first.time >= MediaTime(milliseconds: 500)
        else { return nil }
        guard last.bytes > first.bytes else { return 0 }
        return max(1, Int(Double(last.bytes - first.bytes) * 8 / 1000 / (last.time - first.time).seconds) - audio)
    }

    private mutating func fall(backlog: MediaTime, passed: Int, at time: MediaTime) {
        if let lastFall, time - lastFall < Self.fallInterval { return }
        let (factor, share) =
            switch backlog {
            case MediaTime(milliseconds: 700)...: (0.6, 0.8)
            case MediaTime(milliseconds: 400)...: (0.75, 1.0)
            default: (0.9, 1.0)
            }
        // The backlog must be sent as well: above 700 ms, the bitrate is a little lower than the throughput.
        let floor = max(wanted / 20, Int(Double(passed) * share))
        let lowered = max(Int(Double(current) * factor), floor)
        guard lowered < current else { return }
        ceiling = (max(passed, lowered), time)
        current = lowered
        lastFall = time
    }

    private mutating func climb(at time: MediaTime) {
        guard current < wanted else { return }
        if let lastClimb, time - lastClimb < Self.climbInterval { return }
        let next = min(wanted, current + max(wanted / 12, 1))
        if let ceiling, next > ceiling.bitrate {
            guard time - ceiling.time >= Self.caution else { return }
            // The bitrate was too high some time ago. The network can be faster now.
            self.ceiling = nil
        }
        current = next
        lastClimb = time
    }
}
