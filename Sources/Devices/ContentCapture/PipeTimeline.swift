import Media

/// Assigns times to the sound that another program writes into a pipe.
///
/// A program that records sound has a clock of its own: it writes at its own pace, and its sound belongs to the time at
/// which it arrives. A program that reads a file writes as fast as the pipe accepts, and its sound follows the
/// session's clock. The difference shows at the pipe: the reader waits for the first program, and the second one waits
/// for the reader.
package struct PipeTimeline {
    /// The maximum time by which sound is read before its own time. Longer than what a pipe holds (64 KiB, pipe(7)), so
    /// that the reader catches up with what a recording program wrote before the session.
    package static let lead = MediaTime(milliseconds: 1000)
    /// The maximum difference of the two clocks, as a fraction. Computer clocks differ by less.
    private static let slope = 0.002

    private var timeline: ArrivalTimeline

    /// - Parameter sampleRate: sample frames a second.
    package init(sampleRate: Int) {
        timeline = ArrivalTimeline(sampleRate: sampleRate, slope: Self.slope)
    }

    /// Returns the time before which nothing is read; nil if the next piece can be read at `now`.
    package mutating func nextRead(at now: MediaTime) -> MediaTime? {
        guard let end = timeline.end, end > now + Self.lead else { return nil }
        // The program waits for the reader, so the times at which its pieces are read say nothing about its clock.
        timeline.forgetArrivals()
        return end - Self.lead
    }

    /// Returns the time of a piece that is read at `now`.
    ///
    /// - Parameters:
    ///   - count: sample frames.
    ///   - wasAwaited: the pipe was empty before, so the piece arrived at `now`.
    package mutating func place(_ count: Int, now: MediaTime, wasAwaited: Bool) -> MediaTime {
        wasAwaited ? timeline.place(count, now: now) : timeline.placeAvailable(count, now: now)
    }
}
