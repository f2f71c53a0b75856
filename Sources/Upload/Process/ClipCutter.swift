import Media

/// Decides which packet belongs to which clip. A clip starts with a keyframe, and ends at the first one after its length.
///
/// Sound comes a little later than the picture of the same time: at a cut, packets of the next clip are kept until the sound of
/// this one is complete.
package struct ClipCutter {
    /// What to do, in order.
    package enum Step: Equatable {
        /// A clip begins, at that time of the broadcast.
        case begin(MediaTime)
        case append(EncodedPacket)
        /// The clip ends; it lasted until then.
        case end(MediaTime)

        package static func == (left: Step, right: Step) -> Bool {
            switch (left, right) {
            case (.begin(let left), .begin(let right)), (.end(let left), .end(let right)): left == right
            case (.append(let left), .append(let right)): left.track == right.track && left.sequence == right.sequence
            default: false
            }
        }
    }

    /// How long sound is waited for at a cut.
    private static let patience = MediaTime(milliseconds: 500)

    private let length: MediaTime
    private let hasSound: Bool
    private var start: MediaTime?
    private var end = MediaTime.zero
    /// The keyframe's time at which the clip will be cut, and what comes after it.
    private var cut: MediaTime?
    private var kept: [EncodedPacket] = []

    package init(length: MediaTime, hasSound: Bool) {
        self.length = length
        self.hasSound = hasSound
    }

    /// The steps that `packet` leads to; none while it is kept for a cut.
    package mutating func append(_ packet: EncodedPacket) -> [Step] {
        let time = packet.presentationTime
        let isPicture = packet.track == .screen
        guard let start else {
            guard isPicture && packet.isKeyframe else { return [] }
            return begin(at: time) + add(packet)
        }
        if cut == nil, isPicture, packet.isKeyframe, time - start >= length { cut = time }
        guard let cut else { return add(packet) }
        if !isPicture && time < cut { return add(packet) }
        kept.append(packet)
        let isComplete = isPicture ? !hasSound || time - cut > Self.patience : true
        return isComplete ? makeCut(at: cut) : []
    }

    /// The last steps.
    package mutating func finish() -> [Step] {
        guard start != nil else { return [] }
        let steps = cut.map { makeCut(at: $0) } ?? []
        defer { start = nil }
        return steps + [.end(end)]
    }

    private mutating func makeCut(at time: MediaTime) -> [Step] {
        var steps: [Step] = [.end(time)] + begin(at: time)
        for packet in kept { steps += add(packet) }
        kept = []
        cut = nil
        return steps
    }

    private mutating func begin(at time: MediaTime) -> [Step] {
        start = time
        end = time
        return [.begin(time)]
    }

    private mutating func add(_ packet: EncodedPacket) -> [Step] {
        end = max(end, packet.presentationTime)
        return [.append(packet)]
    }
}
