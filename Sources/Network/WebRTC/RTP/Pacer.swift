import Media

/// Sends a large picture over some time, as the line takes it: a burst of a hundred packets overflows the queue of a
/// router. A value without a clock.
///
/// A packet gets its number when it leaves, so a dropped picture leaves no gap that a receiver would ask for.
package struct Pacer {
    /// A part of a picture.
    package struct Part: Equatable, Sendable {
        package var payload: [UInt8]
        /// The presentation time in ticks of the stream.
        package var ticks: Int64
        /// True for the last part of a picture.
        package var isMarked: Bool
        package var isKeyframe: Bool

        package init(payload: [UInt8], ticks: Int64, isMarked: Bool, isKeyframe: Bool) {
            (self.payload, self.ticks, self.isMarked, self.isKeyframe) = (payload, ticks, isMarked, isKeyframe)
        }
    }

    /// What may be sent at once, in bytes.
    private static let burst = 20_000.0
    /// The heads and tags of a packet, in bytes.
    private static let overhead = 40
    /// A picture that waits longer is of no use to a viewer whose stream does not follow the line. A keyframe is,
    /// because nothing can be shown without one.
    package static let longestWait = MediaTime(milliseconds: 500)
    /// The same for a stream that follows the line: a new page may have most of a second.
    package static let longestFollowedWait = MediaTime(milliseconds: 1000)
    private static let longestKeyframeWait = MediaTime(milliseconds: 5000)

    private var waiting: [(part: Part, since: MediaTime)] = []
    private var first = 0
    private var budget = burst
    private var last: MediaTime?
    package private(set) var waitingBytes = 0

    private let longestWait: MediaTime

    /// - Parameter longestWait: of a picture that is no keyframe.
    package init(longestWait: MediaTime = Self.longestWait) {
        self.longestWait = longestWait
    }

    package var isEmpty: Bool { first == waiting.count }
    /// True if a part of a keyframe waits.
    package var hasKeyframe: Bool { waiting[first...].contains { $0.part.isKeyframe } }

    package mutating func add(_ part: Part, at time: MediaTime) {
        waiting.append((part, time))
        waitingBytes += part.payload.count
    }

    /// Returns the parts that may be sent now.
    ///
    /// - Parameter rate: with which they are sent, in bit/s.
    package mutating func take(rate: Double, at time: MediaTime) -> [Part] {
        let passed = last.map { (time - $0).seconds } ?? 0
        last = time
        budget = min(Self.burst, budget + passed * rate / 8)
        var parts: [Part] = []
        while !isEmpty, budget > 0 {
            let part = waiting[first].part
            first += 1
            waitingBytes -= part.payload.count
            budget -= Double(part.payload.count + Self.overhead)
            parts.append(part)
        }
        if first > 512 || isEmpty {
            waiting.removeFirst(first)
            first = 0
        }
        return parts
    }

    /// When the next part may be sent; nil if none waits.
    package func nextDeadline(rate: Double) -> MediaTime? {
        guard !isEmpty else { return nil }
        guard let last else { return .zero }
        let seconds = max(0, -budget) * 8 / rate
        // Not for each packet of its own.
        return last + max(MediaTime(seconds: seconds), MediaTime(milliseconds: 2))
    }

    /// True if a picture has waited for too long.
    package func isLate(at time: MediaTime) -> Bool {
        waiting[first...].contains {
            time - $0.since > ($0.part.isKeyframe ? Self.longestKeyframeWait : longestWait)
        }
    }

    /// Drops the pictures that refer to others, and a keyframe that is too old. A keyframe that is on its way stays.
    package mutating func dropPictures(at time: MediaTime) {
        let kept = waiting[first...].filter { $0.part.isKeyframe && time - $0.since <= Self.longestKeyframeWait }
        (waiting, first) = (Array(kept), 0)
        waitingBytes = waiting.reduce(0) { $0 + $1.part.payload.count }
    }
}
