import Media

/// With a bitrate: when a still picture is encoded again to improve its quality, and for how many ticks of the bitrate
/// each frame counts.
struct RefinementSchedule {
    /// The number of refinements after which the bitrate allows no better quality.
    static let limit = 20

    /// The time between two refinements of a still picture: two ticks at 30 ticks a second.
    private static let interval = MediaTime(milliseconds: 65)

    /// The QP down to which a picture is refined that has been still for `polishDelay`. The eye sees no difference to
    /// `SettlingDetector.sharpestQuantizer`; the SSIM does.
    private static let polishedQuantizer = 11
    private static let polishDelay = MediaTime(milliseconds: 500)

    /// The time without an encoded frame after which x264's buffer is filled.
    private static let refillDelay = MediaTime(milliseconds: 300)

    /// Ticks a second.
    private let frameRate: Int
    private let keyframeInterval: MediaTime
    /// The tick up to which x264's rate control has counted.
    private var countedTicks: Int64 = 0
    /// The time of the next refinement.
    private var next = MediaTime.zero
    private var lastEncoded = MediaTime.zero
    private var lastChange = MediaTime.zero
    /// True if the last frame filled x264's buffer.
    private var isRefilled = false
    /// The number of changed frames since the last still frame.
    private var framesInMotion = 2

    init(frameRate: Int, keyframeInterval: MediaTime) {
        self.frameRate = frameRate
        self.keyframeInterval = keyframeInterval
    }

    /// True if a picture that has not settled should be encoded again.
    func isDue(at time: MediaTime) -> Bool { time >= next }

    /// True if a picture that has settled, and has not changed for a while, should be encoded again.
    ///
    /// - Parameters:
    ///   - quantizer: the highest QP of any part of the picture.
    ///   - stillFrames: the number of frames since the last change or keyframe.
    func isPolishDue(at time: MediaTime, quantizer: Int, stillFrames: Int) -> Bool {
        quantizer > Self.polishedQuantizer && stillFrames < Self.limit && time - lastChange >= Self.polishDelay && isDue(at: time)
    }

    /// True once after a picture has settled, when enough time has passed to fill the buffer, or shortly before the next
    /// keyframe. x264 counts frames, so it needs a frame that counts for the ticks of the repeat pictures. Otherwise its
    /// buffer would be too empty for the next keyframe or change.
    ///
    /// - Parameters:
    ///   - lastKeyframe: the time of the last IDR picture; nil before the first one.
    ///   - isBufferFull: true if the bitrate has enough bytes for a large frame.
    func isRefillDue(at time: MediaTime, lastKeyframe: MediaTime?, isBufferFull: Bool) -> Bool {
        guard let lastKeyframe, !isRefilled else { return false }
        let untilKeyframe = lastKeyframe + keyframeInterval - time
        return untilKeyframe <= Self.interval + Self.interval || isBufferFull && time - lastEncoded >= Self.refillDelay
    }

    /// Returns what the frame at `time` receives of the bitrate, and plans the next refinement.
    ///
    /// - Parameters:
    ///   - isChanged: true if the picture differs from the previous one.
    ///   - isSettled: true if the picture's quality does not improve any more.
    mutating func share(at time: MediaTime, isChanged: Bool, isSettled: Bool, budget: BitBudget) -> X264Encoder.BitrateShare {
        next = time + Self.interval
        lastEncoded = time
        if isChanged { lastChange = time }
        framesInMotion = isChanged ? framesInMotion + 1 : 0
        isRefilled = !isChanged && isSettled
        // A still picture counts for the time until its next refinement, or for as much as the buffer holds.
        let end = tick(of: isChanged ? time : next) + (isChanged ? 1 : 0)
        let ticks = isRefilled ? .max : max(1, Int(end - countedTicks))
        countedTicks = max(countedTicks, end)
        // After a still period x264 may have counted ticks that have not passed yet.
        let isTakeover = isChanged && framesInMotion <= 2
        return X264Encoder.BitrateShare(ticks: ticks, level: isTakeover ? budget.level : nil, isStill: !isChanged)
    }

    private func tick(of time: MediaTime) -> Int64 { time.value(timescale: Int64(frameRate)) }
}
