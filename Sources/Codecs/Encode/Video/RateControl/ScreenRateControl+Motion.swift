import Glibc
import Media

extension ScreenRateControl {
    /// What is known of a movement.
    ///
    /// The bytes of a frame are its work, divided by 2 for every 6 steps of QP. The work is proportional to what the
    /// meter says of the frame.
    struct Motion {
        /// A smaller share of the picture is no movement, unless it continues one.
        static let smallestShare = 0.02
        /// A larger share is measured in any case.
        static let largestCheapShare = 0.25
        /// Seconds without a change after which a picture has been calm.
        static let calmTime = 0.2
        static let lowestQuantizer = 18
        /// If less of each frame is new, compared with a new page, the movement needs few bytes.
        static let smallNewness = 0.1
        /// If a larger share of the picture changes, too little of it is still to be refined on its own.
        static let largestShareBesideStill = 0.5
        /// x264 leaves details out with it (`X264Encoder`). A picture with a higher QP would be owed.
        static let coarsestQuantizer = ScreenRateControl.highestQuantizer + 3
        /// A refinement by fewer steps of QP wastes bits, which only a bucket that is nearly full has.
        static let refinementSteps = 4

        /// The QP of the next frame, before it is rounded.
        var quantizer = 30.0
        /// The lowest QP since the last page or keyframe: that of the parts that have not moved since then.
        var stillQuantizer = ScreenRateControl.highestQuantizer
        /// The work for each byte that the meter says.
        var factor = 0.0
        /// What the meter said of the last page.
        var unpredicted = 40.0
        /// The work of the last keyframe.
        var keyframeWork = 0.0
        /// What the meter said, of the last tenths of a second and of the last seconds.
        var fast: DecayingMean
        var slow: DecayingMean

        /// How much of the picture is new in each frame, compared with a new page.
        var newness: Double { fast.value / unpredicted }

        init(frameRate: Int) {
            let fast = pow(0.9, 30 / Double(frameRate))
            self.fast = DecayingMean(memory: fast)
            slow = DecayingMean(memory: pow(0.98, 30 / Double(frameRate)))
        }

        mutating func add(predicted: Int) {
            fast.add(Double(predicted))
            slow.add(Double(predicted))
        }

        /// A tick without a change.
        mutating func rest() {
            fast.add(0)
            slow.add(0)
        }

        mutating func reset() {
            fast.reset()
            slow.reset()
        }

        mutating func noteKeyframe(bytes: Int, quantizer: Int) {
            keyframeWork = Self.work(bytes, quantizer)
        }

        mutating func notePage(bytes: Int, quantizer: Int, unpredicted: Int) {
            keyframeWork = Self.work(bytes, quantizer)
            self.unpredicted = Double(max(40, unpredicted))
            factor = keyframeWork / self.unpredicted
            self.quantizer = Double(quantizer)
            fast.reset()
            slow.reset()
        }

        mutating func note(bytes: Int, quantizer: Int, predicted: Int) {
            // Above 51 the size does not follow the QP.
            guard predicted > 60, quantizer <= ScreenRateControl.highestQuantizer else { return }
            let work = Self.work(bytes, quantizer) / Double(predicted)
            factor = factor > 0 ? 0.6 * factor + 0.4 * work : work
        }

        /// The bytes that a frame is expected to have, of which the meter said `predicted`.
        func bytes(predicted: Double, quantizer: Int) -> Double { factor * predicted * exp2(-Double(quantizer) / 6) }

        static func work(_ bytes: Int, _ quantizer: Int) -> Double { Double(bytes) * exp2(Double(quantizer) / 6) }
    }

    /// A picture of which a larger part changes: a new page, a cut, or a movement.
    mutating func moving(
        _ frame: PixelBuffer, share: Double, isKeyframeDue: Bool, at tick: Int, meter: some MovementMeter
    ) -> FramePlan {
        let predicted = max(40, meter.predicted(frame))
        let sincePage = lastPage.map { tick - $0 } ?? .max
        let isCalm = tick - lastMotion >= ticks(Motion.calmTime) && sincePage >= ticks(Motion.calmTime)
        let isJump = Double(predicted) > 2.5 * motion.fast.value && sincePage >= ticks(0.4)
        if share > 0.5, isCalm || isJump {
            let unpredicted = meter.unpredicted()
            if lastPage == nil || Double(predicted) > 0.6 * Double(unpredicted) {
                return page(
                    frame, isKeyframeDue: isKeyframeDue, afterRest: tick - lastMotion >= ticks(Motion.calmTime),
                    // Text that has moved is hardly predicted at a quarter of its size, but in the encoder it is.
                    isAllNew: lastPage == nil || Double(predicted) > 0.93 * Double(unpredicted),
                    unpredicted: unpredicted,
                    at: tick)
            }
        }
        if tick - lastMotion > ticks(0.5) { motion.reset() }
        motion.add(predicted: predicted)
        if isKeyframeDue {
            let (quantizer, limit) = movingKeyframe(frame)
            motion.quantizer = max(motion.quantizer, Double(quantizer))
            return FramePlan(
                .movement(share: share, predicted: predicted, refinement: 0), isIDR: true, quantizer: quantizer,
                limit: limit)
        }
        let (quantizer, refinement) = movementQuantizer(share: share, predicted: Double(predicted), at: tick)
        return FramePlan(
            .movement(share: share, predicted: predicted, refinement: refinement), isIDR: false, quantizer: quantizer,
            limit: level)
    }

    /// The QP of a keyframe in a movement: close to that of the frames around it, if the bucket can pay for it.
    private mutating func movingKeyframe(_ frame: PixelBuffer) -> (quantizer: Int, limit: Double) {
        let size = KeyframeSize(of: frame, like: keyframeSize)
        keyframeSize = size
        guard motion.newness >= Motion.smallNewness else {
            // Most of the picture is still, and should be sharp.
            let limit = 0.75 * bucket.level
            return (size.quantizer(in: Self.lowestQuantizer...coarsest, limit: limit), limit)
        }
        let wanted = max(Motion.lowestQuantizer, Int(motion.quantizer.rounded()) - 2)
        let limit = min(0.5 * capacity, bucket.level - 0.15 * capacity)
        let near = size.quantizer(
            in: min(wanted, 48)...min(48, max(wanted, Int(motion.quantizer.rounded()) + 3)), limit: limit)
        // If the frames after it had to wait, the next movement would be larger, and soon beyond x264's search.
        let share = max(0.65 * bucket.level, min(0.92 * bucket.level, bucket.level - 0.2 * capacity))
        return (quantizer(for: size, above: near - 1, limit: share, most: 0.92 * bucket.level), share)
    }

    /// The QP of a frame of a movement, and the bytes that make the part of the picture sharper that is not new: x264
    /// encodes it again if the QP is lower than before.
    private mutating func movementQuantizer(
        share: Double, predicted: Double, at tick: Int
    ) -> (quantizer: Int, refinement: Double) {
        let left = Double(max(0, lastKeyframe + interval - tick))
        let hasStillPart = share <= Motion.largestShareBesideStill
        let isSmall = motion.newness < Motion.smallNewness
        // The bucket should be at this level, on the way to the next keyframe.
        let keyframe = min(
            (isSmall || hasStillPart ? 0.85 : 0.5) * capacity,
            motion.keyframeWork * exp2(-(motion.quantizer - 2) / 6))
        let target = (isSmall ? 0.95 : 0.65) * capacity - keyframe * left / Double(interval)
        let second = Double(frameRate)
        let horizon = isSmall ? second * 0.5 : min(max(left, second / 2), 2 * second)
        let rest = max(0.4, 1 - keyframe / (bucket.rate * Double(interval) / second))
        var budget = tickBytes * rest + (bucket.level - target) / horizon
        budget = min(max(budget, 0.3 * tickBytes), 4 * tickBytes) + max(0, bucket.level - 0.9 * capacity) / 4
        // With a full bucket there is nothing to save for, so the QP follows the last frames.
        let weight = 0.2 + 0.8 * min(max((bucket.level / capacity - 0.7) / 0.2, 0), 1)
        let base =
            6
            * (log2(motion.factor / budget) + weight * log2(max(1, motion.fast.value))
                + (1 - weight) * log2(max(1, motion.slow.value)))
        let next =
            tick - lastMotion < ticks(Motion.calmTime)
            ? min(max(base, motion.quantizer - (bucket.level > target ? 2 : 1)), motion.quantizer + 4) : base
        motion.quantizer = min(max(next, Double(Motion.lowestQuantizer)), 48)
        // No frame uses up the bucket.
        let most = max(tickBytes, 0.3 * level)
        let known = max(0, 1 - predicted / max(40, motion.unpredicted))
        var quantizer = Int(motion.quantizer.rounded())
        let spare = hasStillPart ? spareInMovement(at: tick, quantizer: quantizer) : nil
        while quantizer < min(Motion.coarsestQuantizer, coarsest) {
            let moved = motion.bytes(predicted: predicted, quantizer: quantizer)
            let refined = known * refinementBytes(to: quantizer)
            if moved + refined <= most, refined == 0 || isWorth(refined, to: quantizer, spare: spare) {
                return (quantizer, refined)
            }
            quantizer += 1
        }
        return (quantizer, 0)
    }

    /// The bytes that a refinement of the still part of a picture may use, in which something moves with a QP. Without
    /// that limit, nothing would be left for the next keyframe: it would be worse than the picture before it.
    private func spareInMovement(at tick: Int, quantizer: Int) -> Double {
        let inflow = max(0, tickBytes - motion.bytes(predicted: motion.slow.value, quantizer: quantizer))
        // Where pages follow each other, each needs all that there is.
        let weight = isLeafing && !isRead(at: tick) ? 1.6 : 1.3
        return spare(at: tick, quantizer: stillQuantizer, inflow: inflow, weight: weight)
    }

    /// - Parameter spare: the bytes that it may use; nil if nothing limits it.
    private func isWorth(_ refinement: Double, to quantizer: Int, spare: Double?) -> Bool {
        guard let spare else { return true }
        let isLarge = stillQuantizer - quantizer >= Motion.refinementSteps
        return refinement <= spare && (isLarge || bucket.level > 0.9 * capacity)
    }

    /// The QP of the part of the picture that does not move.
    private var stillQuantizer: Int { isAtRest ? zones.highest : motion.stillQuantizer }

    /// The bytes that make all of the picture sharper, down to a QP.
    private func refinementBytes(to quantizer: Int) -> Double {
        guard quantizer < stillQuantizer, let keyframeSize else { return 0 }
        let steps = stillQuantizer - quantizer
        // A step that follows others costs more than one alone.
        return keyframeSize.bytes(quantizer: quantizer)
            * max(Self.refinementShare(of: steps), min(0.05 * Double(steps), 0.3))
    }
}
