import Media

/// Chooses the bitrate of a destination from its backlog and its throughput. A value, without a clock.
///
/// The bitrate falls with the backlog, at 200, 400 and 700 ms, and not below what was measured to pass; it climbs back once
/// the backlog is gone, quickly to where it was too much the last time, and carefully past that (`docs/protocols.md`). A destination that takes
/// nothing at all has no say, from the moment on at which it hangs: others that share its encode are not to suffer for it.
package struct CongestionController: Sendable {
    /// How often the bitrate is lowered, at most.
    private static let fallInterval = MediaTime(milliseconds: 500)
    private static let climbInterval = MediaTime(milliseconds: 1000)
    /// How long the backlog must have been gone before it climbs.
    private static let calm = MediaTime(milliseconds: 2000)
    /// How long it stays below the bitrate that was too much, before it is tried again.
    private static let caution = MediaTime(milliseconds: 10_000)
    /// What gets through is measured over this.
    private static let window = MediaTime(milliseconds: 1000)

    /// kbit/s that were asked for.
    package let wanted: Int
    /// kbit/s of the sound, which is never made less.
    package let audio: Int
    /// kbit/s that suit it now.
    package private(set) var current: Int
    private var readings: [(time: MediaTime, bytes: Int)] = []
    private var lastFall: MediaTime?
    private var lastClimb: MediaTime?
    private var calmSince: MediaTime?
    /// What had got through when the backlog began; nil while there is none.
    private var bytesAtBacklog: Int?
    /// Readings in a row with a backlog: a hiccup of one is no slow network.
    private var lateReadings = 0
    /// kbit/s at which the backlog last grew, and when.
    private var ceiling: (bitrate: Int, time: MediaTime)?

    package init(wanted: Int, audio: Int) {
        self.wanted = wanted
        self.audio = audio
        current = wanted
    }

    /// Takes how things stand at `time`.
    ///
    /// - Parameters:
    ///   - backlog: media that waits.
    ///   - bytes: all that got through so far.
    /// - Returns: the bitrate that suits, in kbit/s; nil where nothing gets through.
    package mutating func note(backlog: MediaTime, bytes: Int, at time: MediaTime) -> Int? {
        readings.append((time, bytes))
        while readings.count > 2 && time - readings[1].time >= Self.window { readings.removeFirst() }
        let passed = self.passed
        bytesAtBacklog = backlog < MediaTime(milliseconds: 100) ? nil : bytesAtBacklog ?? bytes
        lateReadings = backlog > MediaTime(milliseconds: 200) ? lateReadings + 1 : 0
        if backlog > MediaTime(milliseconds: 200) {
            calmSince = nil
            if let passed, passed == 0 { return nil }
            // What hangs looks like what is slow until something more has got through.
            if bytes == bytesAtBacklog || lateReadings < 3 { return current }
            fall(backlog: backlog, passed: passed ?? wanted, at: time)
        } else if backlog < MediaTime(milliseconds: 100) {
            let since = calmSince ?? time
            calmSince = since
            if time - since >= Self.calm { climb(at: time) }
        }
        return current
    }

    /// kbit/s of the picture that got through in the window; nil until it has been measured.
    private var passed: Int? {
        guard let first = readings.first, let last = readings.last, last.time - first.time >= MediaTime(milliseconds: 500) else { return nil }
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
            // It was too much some time ago: that may have passed.
            self.ceiling = nil
        }
        current = next
        lastClimb = time
    }
}
