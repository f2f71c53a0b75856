import Media

/// When sound that has no clock of its own is heard: one piece after another, or when it comes where that is later.
struct ArrivalTimeline {
    /// Sound that comes later than this has a gap before it.
    private static let tolerance = MediaTime(milliseconds: 60)

    let sampleRate: Int
    private var origin: MediaTime?
    private var frames = 0

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
    }

    /// The end of what was placed, nil before the first piece.
    var end: MediaTime? {
        origin.map { $0 + MediaTime(value: Int64(frames), timescale: Int64(sampleRate)) }
    }

    /// The time of the next piece, of `count` sample frames, which is here `now`.
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
