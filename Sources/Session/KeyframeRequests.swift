import Media

/// The keyframes that readers of a rendition ask for. A keyframe costs every reader quality, so at most one a second is
/// forced, however many readers ask. It has no clock: the times of the frames decide.
package struct KeyframeRequests: Sendable {
    /// The minimum time between two forced keyframes.
    package static let interval = MediaTime(milliseconds: 1000)

    private var isPending = false
    private var lastForced: MediaTime?

    package init() {}

    /// A reader needs a keyframe.
    package mutating func request() {
        isPending = true
    }

    /// A keyframe leaves the encoder, so no reader waits for another one. A reader that drops it asks again.
    package mutating func noteKeyframe() {
        isPending = false
    }

    /// True if the frame at `time` should be forced to be a keyframe. It then counts as forced.
    package mutating func isDue(at time: MediaTime) -> Bool {
        guard isPending, lastForced.map({ time - $0 >= Self.interval }) ?? true else { return false }
        isPending = false
        lastForced = time
        return true
    }
}
