/// The playback times of a stream's samples: a line fitted to the server's jittery latency reports.
struct PlaybackClock {
    /// Frames per second.
    let rate: Double
    /// The time at which sample 0 is (or would have been) played, in nanoseconds of CLOCK_MONOTONIC.
    private var origin: Double?
    private var reports = 0
    private var outliers = 0

    init(rate: Double) {
        self.rate = rate
    }

    /// Adds a report: sample `number` will be played `latency` nanoseconds after `now`.
    mutating func report(sample number: Int64, latency: Double, now: Int64) {
        let measured = Double(now) + latency - Double(number) * 1e9 / rate
        guard let known = origin else {
            origin = measured
            reports = 1
            return
        }
        let error = measured - known
        // An underrun or a new sink shifts the line permanently; a single late report does not.
        outliers = abs(error) > 10_000_000 ? outliers + 1 : 0
        if outliers >= 8 {
            origin = measured
            reports = 1
            outliers = 0
        } else if outliers == 0 {
            reports = min(reports + 1, 100)
            origin = known + error / Double(reports)
        }
    }

    /// The playback time of that sample, in nanoseconds of CLOCK_MONOTONIC; nil while there are too few reports, or
    /// while the last reports contradict the line: no beep is better than one at the wrong time.
    func time(ofSample number: Int64) -> Double? {
        guard let origin, reports >= 10, outliers == 0 else { return nil }
        return origin + Double(number) * 1e9 / rate
    }
}
