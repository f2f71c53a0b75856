import Media

/// The shortest of the last delays, which is that of an empty line. A value without a clock.
struct DelayBase {
    private let duration: MediaTime
    private var shortest: [MediaTime?] = [nil, nil]
    private var since: MediaTime?

    /// - Parameter duration: a delay is forgotten after one to two of these.
    init(duration: MediaTime) {
        self.duration = duration
    }

    /// Notes a delay. Returns by how much it is longer than the shortest one.
    mutating func excess(of delay: MediaTime, at time: MediaTime) -> MediaTime {
        if let since, time - since > duration {
            shortest = [nil, shortest[0]]
            self.since = time
        }
        since = since ?? time
        shortest[0] = min(shortest[0] ?? delay, delay)
        return delay - (shortest.compactMap { $0 }.min() ?? delay)
    }
}
