import Concurrency
import Media

/// The fragments that wait for one viewer. The queue is bounded by age: a viewer whose connection is too slow continues
/// at a keyframe, and others do not notice. A value without I/O and without a clock.
package struct ViewerQueue: Sendable {
    /// How old the oldest waiting fragment may be.
    package static let maximumAge = Duration.milliseconds(500)

    /// Waits between the keyframes that are requested for one viewer: each is also encoded for all others.
    private static let keyframeWaits = Backoff(first: .milliseconds(500), longest: .seconds(8))
    /// After this time without a discarded fragment, a viewer does not count as slow.
    private static let recovery = Duration.seconds(10)

    private let withSound: Bool
    private var waiting: [(fragment: LiveFragment, since: ContinuousClock.Instant)] = []
    /// The index of the first one that still waits.
    private var first = 0
    private var lastDiscard: ContinuousClock.Instant?
    private var requests: (count: Int, last: ContinuousClock.Instant)?
    /// True until a keyframe arrives, from which the viewer can go on.
    package private(set) var needsKeyframe = true

    package init(withSound: Bool) {
        self.withSound = withSound
    }

    package var isEmpty: Bool { first == waiting.count }

    /// Adds a fragment. If the oldest one is too old, all are discarded, and `needsKeyframe` is true.
    package mutating func add(_ fragment: LiveFragment, at now: ContinuousClock.Instant) {
        if fragment.kind == .sound && !withSound { return }
        if !isEmpty, now - waiting[first].since > Self.maximumAge {
            waiting = []
            first = 0
            needsKeyframe = true
            if let lastDiscard, now - lastDiscard > Self.recovery { requests = nil }
            lastDiscard = now
        }
        if fragment.isKeyframe { needsKeyframe = false }
        guard !needsKeyframe else { return }
        waiting.append((fragment, now))
    }

    /// Returns true if a keyframe is to be requested for this viewer now. One who is slow again and again waits longer.
    package mutating func takesRequest(at now: ContinuousClock.Instant) -> Bool {
        guard needsKeyframe else { return false }
        if let requests, now - requests.last < Self.keyframeWaits.delay(afterFailures: requests.count) { return false }
        requests = ((requests?.count ?? 0) + 1, now)
        return true
    }

    /// Starts with a group of pictures that begins with a keyframe.
    package mutating func start(with group: [LiveFragment], at now: ContinuousClock.Instant) {
        for fragment in group { add(fragment, at: now) }
    }

    /// Takes the next one; nil if nothing waits.
    package mutating func next() -> LiveFragment? {
        guard !isEmpty else { return nil }
        let fragment = waiting[first].fragment
        first += 1
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            first = 0
        }
        return fragment
    }
}
