import Media

/// How long the capture thread rests after a tick if the picture does not change. A change that the source announces
/// ends the rest.
package struct IdleRest: Sendable {
    /// The time without a change after which it rests.
    private static let stillTime = MediaTime(milliseconds: 1000)
    /// Ticks a second.
    private let frameRate: Int64
    private var stillSince: MediaTime?

    /// - Parameter frameRate: ticks a second.
    package init(frameRate: Int64) {
        self.frameRate = frameRate
    }

    /// Returns the number of ticks from the one at `time` to the next one; nil for the usual one.
    ///
    /// - Parameters:
    ///   - isChanged: true if the picture changed at this tick.
    ///   - nextLook: the time of the next look if nothing changes; nil for the next tick.
    package mutating func ticks(at time: MediaTime, isChanged: Bool, nextLook: MediaTime?) -> Int64? {
        guard !isChanged else {
            stillSince = nil
            return nil
        }
        let since = stillSince ?? time
        stillSince = since
        guard let nextLook, time - since >= Self.stillTime else { return nil }
        // The first tick that is not before that time.
        var due = nextLook.value(timescale: frameRate)
        if MediaTime(value: due, timescale: frameRate) < nextLook { due += 1 }
        let ticks = due - time.value(timescale: frameRate)
        return ticks > 1 ? ticks : nil
    }
}
