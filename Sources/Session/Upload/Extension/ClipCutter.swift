import Media

/// Assigns packets to clips. A clip starts with a keyframe, and ends at the first keyframe after the clip's length.
///
/// Sound arrives a little later than the picture of the same time, or earlier if the encoder looks ahead. Therefore the
/// cutter holds sound back until its picture has arrived, and packets of the next clip at a cut until the sound of the
/// current clip is complete.
package struct ClipCutter {
    /// An action for the caller, in order.
    package enum Step: Equatable {
        /// A clip starts at this time of the broadcast.
        case begin(MediaTime)
        case append(EncodedPacket)
        /// The clip ends at this time.
        case end(MediaTime)

        package static func == (left: Step, right: Step) -> Bool {
            switch (left, right) {
            case (.begin(let left), .begin(let right)), (.end(let left), .end(let right)): left == right
            case (.append(let left), .append(let right)): left.track == right.track && left.sequence == right.sequence
            default: false
            }
        }
    }

    /// The maximum time to wait for sound at a cut.
    private static let soundTimeout = MediaTime(milliseconds: 500)

    private let length: MediaTime
    private let hasSound: Bool
    private var hold = SoundHold()
    private var start: MediaTime?
    private var end = MediaTime.zero
    /// The time of the keyframe at which the clip will be cut, and the packets after it.
    private var cut: MediaTime?
    private var kept: [EncodedPacket] = []

    package init(length: MediaTime, hasSound: Bool) {
        self.length = length
        self.hasSound = hasSound
    }

    /// Returns the steps for `packet`. The array is empty while the packet is held back for a cut.
    package mutating func append(_ packet: EncodedPacket) -> [Step] {
        hold.add(packet).flatMap { assign($0) }
    }

    private mutating func assign(_ packet: EncodedPacket) -> [Step] {
        let time = packet.presentationTime
        let isPicture = packet.track == .screen
        guard let start else {
            guard isPicture && packet.isKeyframe else { return [] }
            return begin(at: time) + add(packet)
        }
        if !isPicture, time < start { return [] }
        if cut == nil, isPicture, packet.isKeyframe, time - start >= length { cut = time }
        guard let cut else { return add(packet) }
        if !isPicture && time < cut { return add(packet) }
        kept.append(packet)
        let isComplete = isPicture ? !hasSound || time - cut > Self.soundTimeout : true
        return isComplete ? makeCut(at: cut) : []
    }

    /// Returns the last steps, at the end of the broadcast.
    package mutating func finish() -> [Step] {
        guard start != nil else { return [] }
        var steps = hold.flush().flatMap { assign($0) }
        steps += cut.map { makeCut(at: $0) } ?? []
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
