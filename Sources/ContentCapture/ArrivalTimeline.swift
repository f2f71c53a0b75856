import Media

/// Assigns times to sound without a clock of its own: each piece follows the previous one, or has its arrival time if
/// that is later.
struct ArrivalTimeline {
    /// A piece that arrives later than this has a gap before it.
    private static let tolerance = MediaTime(milliseconds: 60)

    let sampleRate: Int
    private var origin: MediaTime?
    private var frames = 0

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
    }

    /// The end of the last piece, or nil before the first piece.
    var end: MediaTime? {
        origin.map { $0 + MediaTime(value: Int64(frames), timescale: Int64(sampleRate)) }
    }

    /// Returns the time of the next piece, which has `count` sample frames and arrives at `now`.
    mutating func place(_ count: Int, now: MediaTime) -> MediaTime {
        if let end, now <= end + Self.tolerance {
            frames += count
            return end
        }
        origin = now
        frames = count
        return now
    }
}
