import Media

/// Why a frame is encoded.
enum FramePurpose {
    /// The picture changed.
    case change
    /// A still picture becomes sharper.
    case refinement
    /// x264's buffer is filled, and the picture stays as it is.
    case refill
    /// A still picture is due as an IDR picture.
    case keyframe
}

/// With a bitrate: when a still picture is encoded again, and what each frame receives of the bitrate.
///
/// x264 counts the bytes that it may still use (its buffer, VBV) in frames. `BitBudget` counts them in time. Each frame
/// moves x264's count to that of the budget: up, if the frame counts for several ticks, and down, if the buffer is
/// smaller.
struct RefinementSchedule {
    /// The number of refinements after which the bitrate allows no better quality.
    static let limit = 20

    /// The time between two refinements of a still picture: two ticks at 30 ticks a second.
    private static let interval = MediaTime(milliseconds: 65)

    /// The QP down to which a picture is refined that has been still for `polishDelay`. The eye sees no difference to
    /// `SettlingDetector.sharpestQuantizer`; the SSIM does.
    private static let polishedQuantizer = 11
    private static let polishDelay = MediaTime(milliseconds: 500)

    /// The time without a change after which a refinement may use most of what the bitrate has saved. Before that, the
    /// next change is probably close.
    private static let restDelay = MediaTime(milliseconds: 300)

    /// The time without an encoded frame after which x264's buffer is filled for the next change.
    private static let refillDelay = MediaTime(milliseconds: 300)

    /// The time without a refinement after which the bitrate is needed for the next keyframe.
    private static let waitingLimit = MediaTime(milliseconds: 600)

    /// A refinement needs this part of the buffer; with less, it improves little and costs as much time.
    private static let smallestShare = 0.2

    /// The part of the buffer that is kept for the next keyframe, as far as the bitrate cannot fill it until then.
    private static let keyframeShare = 0.8

    /// x264 lets a frame with a given QP use between a half and three quarters of its buffer (rate control of rows). A
    /// buffer that contains four thirds of what the frame may use ends it at that size.
    private static let givenQuantizerFactor = 4.0 / 3

    /// Ticks a second.
    private let frameRate: Int
    private let keyframeInterval: MediaTime
    /// The time of the next refinement.
    private var next = MediaTime.zero
    private var lastEncoded = MediaTime.zero
    /// The time of the last frame that was not only a refill.
    private var lastImproved = MediaTime.zero
    private var lastChange = MediaTime.zero
    /// True if the last frame was not a change.
    private var isStill = false

    init(frameRate: Int, keyframeInterval: MediaTime) {
        self.frameRate = frameRate
        self.keyframeInterval = keyframeInterval
    }

    /// Returns the bytes that a refinement may use: what the bitrate has saved, without what it cannot save again until
    /// the next keyframe.
    ///
    /// - Parameter lastKeyframe: the time of the last IDR picture; nil before the first one.
    func spendable(at time: MediaTime, lastKeyframe: MediaTime?, budget: BitBudget) -> Double {
        guard let lastKeyframe else { return budget.level }
        let untilKeyframe = (lastKeyframe + keyframeInterval - time).seconds
        return budget.level - budget.rate * max(0, Self.keyframeShare - untilKeyframe)
    }

    /// True if a still picture has not become sharper for some time.
    func isWaiting(at time: MediaTime) -> Bool { time - lastImproved >= Self.waitingLimit }

    /// Returns why a still picture should be encoded again instead of being repeated; nil if it should not.
    ///
    /// - Parameters:
    ///   - settling: how good the picture is.
    ///   - lastKeyframe: the time of the last IDR picture; nil before the first one.
    ///   - level: what x264's buffer contains, in bytes.
    ///   - largest: the bytes that it can contain.
    func purpose(
        at time: MediaTime, settling: SettlingDetector, lastKeyframe: MediaTime?, budget: BitBudget, level: Double,
        largest: Double
    ) -> FramePurpose? {
        if time >= next,
            spendable(at: time, lastKeyframe: lastKeyframe, budget: budget) >= Self.smallestShare * budget.rate
        {
            if !settling.isSettled { return .refinement }
            let isPolishDue = settling.pictureQuantizer > Self.polishedQuantizer && settling.stillFrames < Self.limit
            if isPolishDue, time - lastChange >= Self.polishDelay { return .refinement }
        }
        guard let lastKeyframe, level < 0.9 * min(largest, Self.givenQuantizerFactor * budget.level) else { return nil }
        let untilKeyframe = lastKeyframe + keyframeInterval - time
        return untilKeyframe <= Self.interval + Self.interval || budget.isFull && time - lastEncoded >= Self.refillDelay
            ? .refill : nil
    }

    /// Returns what the frame at `time` receives of the bitrate, and plans the next refinement.
    ///
    /// - Parameters:
    ///   - lastKeyframe: the time of the last IDR picture; nil before the first one.
    ///   - level: what x264's buffer contains, in bytes.
    mutating func share(
        at time: MediaTime, for purpose: FramePurpose, lastKeyframe: MediaTime?, budget: BitBudget, level: Double
    ) -> BitrateShare {
        let passed = Int(((time - lastEncoded).seconds * Double(frameRate)).rounded())
        next = time + Self.interval
        lastEncoded = time
        if purpose != .refill { lastImproved = time }
        let isFirst = isStill
        isStill = purpose != .change
        if purpose == .change { lastChange = time }
        // The frame itself is a tick.
        func ticks(to target: Double) -> Int {
            1 + max(0, Int((target - max(0, level)) / budget.rate * Double(frameRate)))
        }
        switch purpose {
        case .change:
            // The first picture after a rest may use all that is saved.
            return .init(
                ticks: max(isFirst ? passed : 1, ticks(to: budget.level)), level: budget.level, mayUseAll: isFirst)
        case .refinement:
            let factor = time - lastChange >= Self.restDelay ? 2.0 : 1
            let saved = Self.interval.seconds * budget.rate
            let target = spendable(at: time, lastKeyframe: lastKeyframe, budget: budget) * factor
            return .init(ticks: ticks(to: target + saved * factor), level: target, isDoubled: factor > 1)
        case .refill:
            return .init(ticks: ticks(to: Self.givenQuantizerFactor * budget.level), isDoubled: true, mayUseAll: true)
        case .keyframe:
            // At most a fifth of the buffer: in a smaller buffer, x264 lets a frame use everything.
            let target = Self.givenQuantizerFactor * budget.level
            return .init(ticks: Int(target / budget.rate * Double(frameRate) / 5), level: target, isDoubled: true)
        }
    }
}
