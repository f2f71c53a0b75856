/// The share of the bitrate for a frame. x264 counts every frame as one tick, but repeat pictures, which x264 does not
/// know, fill the time between two frames.
package struct BitrateShare {
    /// The number of ticks that the frame counts for.
    package var ticks: Int
    /// The bytes that x264's buffer contains at most before the frame.
    package var level: Double?
    /// True if the buffer has twice the size, so that it can contain more than the bitrate has saved.
    package var isDoubled: Bool
    /// True if the buffer is never larger than `level`.
    package var isLimited = false
    /// True if the frame may use all that the buffer contains, and not only half of it.
    package var mayUseAll: Bool

    package init(ticks: Int, level: Double? = nil, isDoubled: Bool = false, mayUseAll: Bool = false) {
        self.ticks = ticks
        self.level = level
        self.isDoubled = isDoubled
        self.mayUseAll = mayUseAll
    }

    /// Limits x264's buffer to the bytes that the bitrate has saved, and fills it again after the frame. The next frame
    /// must limit it, too.
    mutating func refill(to budget: BitBudget, frameRate: Int) {
        ticks = Int(max(0, budget.share) * Double(frameRate) * 0.8)
        level = budget.level
        isLimited = true
        isDoubled = false
    }
}

/// The buffer of x264's rate control (VBV): its rate and its size for the next frame, and what it contains, counted as
/// x264 counts it (`update_vbv` in ratecontrol.c).
package struct X264Buffer {
    /// x264 reduces a higher bitrate to this one, in kbit/s (`validate_parameters` in encoder.c).
    private static let highestRate = 2_000_000

    /// Ticks a second.
    private let frameRate: Int
    /// The rate that fills it, in kbit/s.
    package private(set) var rate: Int
    /// Its size for the next frame, in kbit.
    package private(set) var size: Int
    private var level: Double

    /// - Parameters:
    ///   - share: the part of the buffer that is filled at the start.
    ///   - frameRate: ticks a second.
    package init(rate: Int, size: Int, share: Double, frameRate: Int) {
        self.frameRate = frameRate
        self.rate = rate
        self.size = size
        level = Double(size) * share
    }

    /// What it contains before the next frame, in bytes.
    package var bytes: Double { level * 125 }

    /// Sets the rate in kbit/s and the size in kbit, for frames of one tick.
    package mutating func set(rate: Int, size: Int) {
        self.rate = rate
        self.size = size
    }

    /// Sets the rate and the size for a frame with a share of the bitrate.
    ///
    /// - Parameters:
    ///   - kilobits: the bitrate in kbit/s.
    ///   - capacity: the size of a buffer that is not cut, in kbit.
    package mutating func prepare(_ share: BitrateShare, kilobits: Int, capacity: Int) {
        // A buffer of less than five frames can be used up by one; otherwise, x264 lets a frame use half of it. It has
        // to contain more than one frame.
        let frames = share.mayUseAll || share.isLimited ? 1.25 : 5
        let most = min(Int(Double(capacity * frameRate) / frames), Self.highestRate) / kilobits
        rate = kilobits * max(1, min(share.ticks, most))
        size = capacity
        // x264 has no call that sets the level of its buffer, but a frame does not use more than the size. A difference
        // of less than a tick comes from rounding.
        if let limit = share.level.map({ max(0, $0) / 125 }),
            share.isLimited || level > limit + Double(kilobits) / Double(frameRate)
        {
            size = min(size, Int(limit))
        }
        size = max(size, rate * 5 / 4 / frameRate + 1)
    }

    /// Counts a frame of `size` bytes. The level is cut to the size after the frame, and not before it.
    package mutating func note(size bytes: Int) {
        level = min(Double(size), max(0, level - Double(bytes) / 125) + Double(rate) / Double(frameRate))
    }
}
