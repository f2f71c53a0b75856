import Media

/// Assigns times to sound without timestamps from the times at which its pieces arrive.
///
/// Each piece follows the previous one, because programs hand over sound irregularly. In each second, the piece that
/// arrived latest in relation to its place belongs to its arrival time: the timeline follows it slowly, so that the
/// mixer removes the drift of the program's clock by resampling. If every piece of a second was too early, the program
/// paused and then delivered everything that had accumulated: the timeline jumps, so that the delay does not last.
package struct ArrivalTimeline {
    /// A piece that arrives later than this has a gap before it.
    private static let tolerance = MediaTime(milliseconds: 60)
    /// Sound that is earlier than this for a whole window makes the timeline jump.
    private static let jump = MediaTime(milliseconds: 20)
    /// Arrivals are collected in buckets of 50 ms; a window has 20 of them.
    private static let bucketDuration: Int64 = 50_000_000
    private static let bucketCount = 20

    private let sampleRate: Int
    /// The maximum correction as a fraction of the duration of the sound.
    private let slope: Double
    /// The time of the frame with number 0, or nil before the first piece.
    private var origin: MediaTime?
    private var frames = 0
    /// The greatest lateness of each bucket, oldest first, in relation to `origin`.
    private var latest: [(bucket: Int64, lateness: MediaTime)] = []

    /// - Parameters:
    ///   - sampleRate: sample frames a second.
    ///   - slope: the maximum correction as a fraction of the duration of the sound: the largest difference of two
    ///     clocks.
    package init(sampleRate: Int, slope: Double = 0.001) {
        self.sampleRate = sampleRate
        self.slope = slope
    }

    /// The time of the next piece, if it is not late. Nil before the first piece.
    package var end: MediaTime? { origin.map { $0 + duration(frames) } }

    /// Returns the time of the next piece, which has `count` sample frames and arrives at `now`.
    package mutating func place(_ count: Int, now: MediaTime) -> MediaTime {
        if let end, now <= end + Self.tolerance { note(lateness: now - end, at: now) }
        return placeAvailable(count, now: now)
    }

    /// Returns the time of the next piece, which has `count` sample frames. It arrived at some time before `now`.
    package mutating func placeAvailable(_ count: Int, now: MediaTime) -> MediaTime {
        guard let origin, now <= origin + duration(frames) + Self.tolerance else {
            self.origin = now
            frames = count
            latest = [(now.nanoseconds / Self.bucketDuration, .zero)]
            return now
        }
        let correction = correction(for: count)
        let time = origin + duration(frames) + correction
        self.origin = origin + correction
        for index in latest.indices { latest[index].lateness = latest[index].lateness - correction }
        frames += count
        return time
    }

    /// Forgets the arrivals up to now, for example because the program waited for its reader.
    package mutating func forgetArrivals() {
        latest = []
    }

    private mutating func note(lateness: MediaTime, at now: MediaTime) {
        let bucket = now.nanoseconds / Self.bucketDuration
        if let last = latest.indices.last, latest[last].bucket == bucket {
            latest[last].lateness = max(latest[last].lateness, lateness)
        } else {
            latest.append((bucket, lateness))
        }
    }

    /// The correction of the timeline, once a window of arrivals is complete.
    private mutating func correction(for count: Int) -> MediaTime {
        guard let first = latest.first, let last = latest.last, last.bucket - first.bucket >= Self.bucketCount else {
            return .zero
        }
        latest.removeAll { last.bucket - $0.bucket > Self.bucketCount }
        guard let lateness = latest.map(\.lateness).max() else { return .zero }
        if lateness + Self.jump < .zero { return lateness }
        let limit = MediaTime(seconds: duration(count).seconds * slope)
        return min(limit, max(-limit, lateness))
    }

    private func duration(_ frames: Int) -> MediaTime {
        MediaTime(value: Int64(frames), timescale: Int64(sampleRate))
    }
}
