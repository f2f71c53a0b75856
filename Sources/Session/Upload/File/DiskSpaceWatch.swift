import Media

/// Notices that a disk will soon be full of a recording. A value without a clock.
package struct DiskSpaceWatch: Sendable {
    /// The user is told once for each of these, when the room is enough for less.
    private static let limits = [MediaTime(milliseconds: 300_000), MediaTime(milliseconds: 60_000)]
    /// The media between two looks, and the media whose rate counts.
    private static let interval = MediaTime(milliseconds: 5000)
    private static let window = MediaTime(milliseconds: 30_000)

    private var looks: [(time: MediaTime, byteCount: Int)] = []
    /// How many of the limits were reached.
    private var told = 0

    package init() {}

    /// True if it is time for a look, after so much media.
    package func isDue(at time: MediaTime) -> Bool {
        told < Self.limits.count && looks.last.map { time - $0.time >= Self.interval } ?? true
    }

    /// Takes a look. Returns for how long the room is enough, if the user is to be told now.
    ///
    /// - Parameters:
    ///   - time: of the last picture or sound in the recording.
    ///   - byteCount: what was written so far.
    ///   - free: the bytes that are left.
    package mutating func look(at time: MediaTime, byteCount: Int, free: Int) -> MediaTime? {
        looks.removeAll { time - $0.time > Self.window }
        defer { looks.append((time, byteCount)) }
        guard let first = looks.first, time > first.time, byteCount > first.byteCount else { return nil }
        let rate = Double(byteCount - first.byteCount) / (time - first.time).seconds
        let left = MediaTime(seconds: min(1e6, Double(free) / rate))
        let reached = Self.limits.count { left < $0 }
        guard reached > told else { return nil }
        told = reached
        return left
    }
}
