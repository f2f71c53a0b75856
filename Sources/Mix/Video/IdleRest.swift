import Media

/// How long the capture thread rests after a tick: with variable pacing and a picture that does not change, it looks less
/// often. A change that the source announces ends the rest; only the pointer, which no event reports, is then shown up to
/// 100 ms later.
package struct IdleRest: Sendable {
    /// The time without a change after which it rests.
    private static let patience = MediaTime(milliseconds: 1000)
    /// The number of ticks in 100 ms.
    private let length: Int64
    private var idleSince: MediaTime?

    /// - Parameter frameRate: ticks a second.
    package init(frameRate: Int64) {
        length = frameRate / 10
    }

    /// Returns the number of ticks from the one at `time` to the next one; nil for the usual one.
    ///
    /// - Parameter isIdle: true if nothing changed, and no rendition needs a frame at every tick.
    package mutating func ticks(at time: MediaTime, isIdle: Bool) -> Int64? {
        guard isIdle else {
            idleSince = nil
            return nil
        }
        let since = idleSince ?? time
        idleSince = since
        return length > 1 && time - since >= Self.patience ? length : nil
    }
}
