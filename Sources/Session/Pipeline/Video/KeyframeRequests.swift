import Media

/// The requests for keyframes of a rendition. A keyframe reduces the quality for all readers, so at most one a second
/// is forced for any number of requests. It has no clock and uses the times of the frames.
package struct KeyframeRequests: Sendable {
    /// The minimum time between two forced keyframes.
    package static let interval = MediaTime(milliseconds: 1000)

    private var isPending = false
    private var lastForced: MediaTime?

    package init() {}

    /// Records that a reader needs a keyframe.
    package mutating func request() {
        isPending = true
    }

    /// Records a keyframe of the encoder, which fulfils all requests. A reader that drops it sends a new request.
    package mutating func noteKeyframe() {
        isPending = false
    }

    /// Returns true if the frame at `time` must be forced to be a keyframe. It then counts as forced.
    package mutating func isDue(at time: MediaTime) -> Bool {
        guard isPending, lastForced.map({ time - $0 >= Self.interval }) ?? true else { return false }
        isPending = false
        lastForced = time
        return true
    }
}
