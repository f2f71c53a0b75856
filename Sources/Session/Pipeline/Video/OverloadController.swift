import Media

/// What the encoder does less of while the machine is too slow for the chosen settings.
package struct EncoderReduction: Sendable, Equatable {
    /// True if x264 analyses the pictures as with its fastest preset.
    package var usesFastestPreset = false
    /// One of this many frames is encoded. The stream keeps its frame rate: with constant pacing the other ticks repeat
    /// the picture.
    package var frameDivisor = 1

    package static let none = EncoderReduction()

    package init(usesFastestPreset: Bool = false, frameDivisor: Int = 1) {
        self.usesFastestPreset = usesFastestPreset
        self.frameDivisor = frameDivisor
    }
}

/// Notices an encoder that is slower than real time, and chooses what it does less of. A value, without a clock.
///
/// First the encoder changes to its fastest preset. If that is not enough, it encodes every second frame, then every
/// third. Each step is taken after two windows of overload, so the first one within two seconds. A step is taken back
/// when the encoder has been idle enough for it for a while. That time doubles each time when the step was needed again
/// soon.
package struct OverloadController {
    /// The duration over which the load is measured.
    private static let window = MediaTime(milliseconds: 750)
    /// The share of time in the encoder from which it is too slow.
    private static let tooBusy = 0.9
    /// The share of time in the encoder that a step back may lead to.
    private static let comfortable = 0.7
    /// How much longer the chosen preset takes at most than the fastest one; `veryfast` takes about three times as
    /// long.
    private static let presetCost = 3.5
    /// Seconds.
    private static let shortestCalm = 10.0
    private static let longestCalm = 320.0
    /// The lowest number of encoded frames a second.
    private static let lowestFrameRate = 10

    private let steps: [EncoderReduction]
    private var level = 0
    private var start: (time: MediaTime, busy: MediaTime, replaced: Int)?
    private var overloadedWindows = 0
    private var calmSince: MediaTime?
    /// The time without much load, in seconds, after which a step is taken back.
    private var calm = shortestCalm
    private var lastRelief: MediaTime?

    /// - Parameters:
    ///   - preset: the chosen preset of x264.
    ///   - frameRate: frames a second.
    package init(preset: String, frameRate: Int) {
        var steps = [EncoderReduction.none]
        let isFastest = preset == "ultrafast"
        if !isFastest { steps.append(EncoderReduction(usesFastestPreset: true)) }
        for divisor in 2...3 where frameRate / divisor >= Self.lowestFrameRate {
            steps.append(EncoderReduction(usesFastestPreset: !isFastest, frameDivisor: divisor))
        }
        self.steps = steps
    }

    /// What the encoder does less of now.
    package var reduction: EncoderReduction { steps[level] }

    /// Processes a reading. Call it several times a second.
    ///
    /// - Parameters:
    ///   - busy: the time that the encoder has worked since the start.
    ///   - replaced: the number of frames since the start that it did not take in time.
    ///   - time: the session's time.
    /// - Returns: true if `reduction` changed.
    package mutating func note(busy: MediaTime, replaced: Int, at time: MediaTime) -> Bool {
        guard let start else {
            self.start = (time, busy, replaced)
            return false
        }
        let elapsed = time - start.time
        guard elapsed >= Self.window else { return false }
        self.start = (time, busy, replaced)
        let load = (busy - start.busy).seconds / elapsed.seconds
        // With a divisor, frames are replaced on purpose.
        let isLate = replaced > start.replaced || steps[level].frameDivisor > 1
        overloadedWindows = load >= Self.tooBusy && isLate ? overloadedWindows + 1 : 0
        if overloadedWindows >= 2, level + 1 < steps.count { return climb(at: time) }
        guard level > 0, load * cost < Self.comfortable else {
            calmSince = nil
            return false
        }
        let since = calmSince ?? start.time
        calmSince = since
        guard (time - since).seconds >= calm else { return false }
        level -= 1
        calmSince = nil
        lastRelief = time
        return true
    }

    private mutating func climb(at time: MediaTime) -> Bool {
        if let lastRelief {
            calm = (time - lastRelief).seconds < calm * 2 ? min(calm * 2, Self.longestCalm) : Self.shortestCalm
        }
        lastRelief = nil
        level += 1
        overloadedWindows = 0
        calmSince = nil
        return true
    }

    /// The factor by which the step below the current one takes longer.
    private var cost: Double {
        let (now, below) = (steps[level], steps[level - 1])
        return now.frameDivisor == below.frameDivisor
            ? Self.presetCost : Double(now.frameDivisor) / Double(below.frameDivisor)
    }
}
