import Media

/// How long the capture thread rests after a tick: with variable pacing and a picture that does not change, it looks
/// again when a frame is due. A change that the source announces ends the rest.
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
    ///   - nextFrame: the time of the next frame that is due without a change; nil if each tick has one.
    package mutating func ticks(at time: MediaTime, isChanged: Bool, nextFrame: MediaTime?) -> Int64? {
        guard !isChanged else {
            stillSince = nil
            return nil
        }
        let since = stillSince ?? time
        stillSince = since
        guard let nextFrame, time - since >= Self.stillTime else { return nil }
        // The first tick that is not before the time of the frame.
        var due = nextFrame.value(timescale: frameRate)
        if MediaTime(value: due, timescale: frameRate) < nextFrame { due += 1 }
        let ticks = due - time.value(timescale: frameRate)
        return ticks > 1 ? ticks : nil
    }
}
