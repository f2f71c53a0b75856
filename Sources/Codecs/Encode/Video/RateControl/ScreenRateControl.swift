import Glibc
import Media

/// Decides what is encoded at each tick of a screen with a bitrate, and with which QP.
///
/// A viewer of a screen reads: a new page should be readable at once, and become better until it is good. x264's own
/// rate control spreads the bits evenly over the frames, so this type gives x264 the QP of every frame. The only limit
/// is a bucket of one second of the bitrate (`BitBudget`), which counts every byte that is sent. A picture that the
/// bucket cannot pay for is not sent: an IDR picture needs no reference, so one that is too large is encoded again
/// (`retry`).
///
/// A picture is new, moves, changes in a small part, or is still:
/// - A new page gets most of the bucket.
/// - A still page is refined in large steps, half of the picture at a time. What is left in the bucket is for the next
///   page and the next keyframe, and the reserve grows as the page becomes sharper.
/// - A moving picture follows the bitrate (`ScreenRateControl+Motion`).
/// - A small change has the QP of the picture around it.
///
/// Times are ticks. The rules are in docs/decisions.md.
package struct ScreenRateControl {
    /// With this QP, a lower one makes no visible difference.
    static let lowestQuantizer = 14
    /// A keyframe with this QP or a lower one of a page that is read is not refined.
    static let goodQuantizer = 24
    /// From this QP on, dense text is soft.
    static let softQuantizer = 38
    /// From this QP on, dense text cannot be read.
    static let unreadableQuantizer = 44
    /// The highest QP of a picture of 8 bits (Rec. ITU-T H.264, 7.4.2.2).
    package static let highestQuantizer = 51

    /// Frames a second.
    let frameRate: Int
    /// Ticks between two keyframes.
    let interval: Int
    private(set) var bucket: BitBudget
    /// True if the halves of a picture can have different QPs.
    private let hasZones: Bool
    /// The highest QP that the encoder takes. Above 51 it leaves details out.
    let coarsest: Int

    /// How large keyframes of the present page are; nil before the first one.
    var keyframeSize: KeyframeSize?
    /// The QP of the upper and of the lower half of each slice.
    var zones = ZoneQuantizers(repeating: highestQuantizer)
    /// The tick of the last keyframe, of the last change of most of the picture, and of the last movement.
    var lastKeyframe = Int.min / 2
    var shownSince = Int.min / 2
    var lastMotion = Int.min / 2
    var lastPage: Int?
    /// True if the page before the present one was shown for less than a second.
    var isFlipping = false
    /// True if the page before the present one was shown for some seconds at most, or moved: something else may follow
    /// soon.
    var isLeafing = false
    /// False while a picture moves, and for two ticks after that.
    var isAtRest = false
    /// How much larger refinements of this page are than expected.
    var refinementFactor = 1.0
    /// The size of a new page as a P picture, relative to an IDR picture of the same QP.
    private var predictedShare = 0.75
    /// The tick of the last frame that was encoded or sent again.
    private var lastEncoded = 0
    /// The bytes of the last P picture of a movement or of a change.
    private var lastChangeBytes = Int.max
    /// What was sent since the last keyframe; nil if something else than this page was.
    private var group: StillGroup?
    /// True if viewers have the last picture without its details.
    private var owesPage = false
    var motion: Motion

    /// - Parameters:
    ///   - kilobits: the bitrate in kbit/s.
    ///   - frameRate: ticks a second.
    ///   - keyframeInterval: the time between two keyframes.
    ///   - maximumFrameSize: the size in bytes that no frame may exceed; nil if only the bitrate limits it.
    ///   - hasZones: true if the halves of a picture can have different QPs.
    ///   - highestQuantizer: the highest QP that the encoder takes: 51, or more if it can leave details out.
    package init(
        kilobits: Int, frameRate: Int, keyframeInterval: MediaTime, maximumFrameSize: Int? = nil, hasZones: Bool = true,
        highestQuantizer: Int = Self.highestQuantizer
    ) {
        self.hasZones = hasZones
        coarsest = highestQuantizer
        self.frameRate = frameRate
        interval = max(1, Int((keyframeInterval.seconds * Double(frameRate)).rounded()))
        bucket = BitBudget(kilobits: kilobits, maximumFrameSize: maximumFrameSize)
        motion = Motion(frameRate: frameRate)
    }

    /// The bytes that are planned with. A tenth of the bucket is kept for frames that become larger than expected: only
    /// an IDR picture can be encoded again.
    var level: Double { bucket.level - 0.1 * capacity }
    /// The bucket's capacity, and what flows into it in a tick, in bytes.
    var capacity: Double { bucket.capacity }
    var tickBytes: Double { bucket.rate / Double(frameRate) }

    /// Returns a number of ticks for a time in seconds.
    func ticks(_ seconds: Double) -> Int { Int((seconds * Double(frameRate)).rounded()) }

    /// The tick of a time.
    func tick(at time: MediaTime) -> Int { Int((time.seconds * Double(frameRate)).rounded()) }

    package mutating func setBitrate(_ kilobits: Int) {
        bucket.setBitrate(kilobits)
        // Its sizes were right for another bitrate.
        group = nil
    }

    /// True if the picture does not become better before the next keyframe.
    package func isSettled(at time: MediaTime) -> Bool {
        isAtRest && group?.isComplete != false
            && (group?.isGood == true || zones.highest <= Self.lowestQuantizer
                || tick(at: time) - lastEncoded >= ticks(0.6))
    }

    // MARK: Plans

    /// Returns what to encode at a tick; nil if the last picture is repeated. If something has changed, the bucket is
    /// nearly empty then, and the caller asks again at the next tick.
    ///
    /// - Parameters:
    ///   - frame: the picture of the tick.
    ///   - changed: what differs from the last encoded picture. Empty if nothing does.
    ///   - isKeyframeDue: true if the frame must be an IDR picture.
    package mutating func plan(
        _ frame: PixelBuffer, changed: DamageRegion, isKeyframeDue: Bool, at time: MediaTime, meter: some MovementMeter
    ) -> FramePlan? {
        bucket.advance(to: time)
        let tick = tick(at: time)
        if owesPage { return owedPage(frame, isKeyframeDue: isKeyframeDue, at: tick) }
        let share = Double(changed.area) / Double(changed.size.area)
        if share == 0 {
            return still(frame, isKeyframeDue: isKeyframeDue, at: tick)
        }
        group = nil
        if !isKeyframeDue, bucket.level < leastForChange {
            return nil
        }
        if share >= Motion.smallestShare || tick - lastMotion <= ticks(Motion.calmTime), !isCheap(share: share) {
            return moving(frame, share: share, isKeyframeDue: isKeyframeDue, at: tick, meter: meter)
        }
        return smallChange(in: frame, share: share, isKeyframeDue: isKeyframeDue, at: tick)
    }

    /// A new page, or a cut in a movement.
    mutating func page(
        _ frame: PixelBuffer, isKeyframeDue: Bool, afterRest: Bool, isAllNew: Bool, unpredicted: Int, at tick: Int
    ) -> FramePlan {
        let size = KeyframeSize(of: frame)
        keyframeSize = size
        isFlipping = tick - shownSince < frameRate
        isLeafing = tick - shownSince < ticks(4)
        shownSince = tick
        let afterRest = afterRest || motion.newness < 0.05
        isAtRest = afterRest
        refinementFactor = 1
        let limit = afterRest ? 0.92 * bucket.level : max(2 * tickBytes, 0.7 * bucket.level)
        // The next keyframe is then due a whole interval after the page, and takes no bits from a page that is new.
        let isIDR =
            isKeyframeDue || isAllNew && size.bytes(quantizer: Self.highestQuantizer) <= limit
        let lowest = afterRest ? Self.lowestQuantizer : max(Motion.lowestQuantizer, Int(motion.quantizer.rounded()) - 2)
        let range = min(lowest, 50)...coarsest
        let quantizer =
            isIDR
            ? size.quantizer(in: range, limit: limit)
            : range.first { size.bytesOfPage(quantizer: $0) * 1.15 * predictedShare <= limit } ?? coarsest
        return FramePlan(
            .page(unpredicted: unpredicted, afterRest: afterRest), isIDR: isIDR, quantizer: quantizer, limit: limit)
    }

    /// A page of which viewers have only the soft version; nil until the bucket can pay for a better one.
    private mutating func owedPage(_ frame: PixelBuffer, isKeyframeDue: Bool, at tick: Int) -> FramePlan? {
        let (wasFlipping, wasLeafing, shown) = (isFlipping, isLeafing, shownSince)
        let plan = page(
            frame, isKeyframeDue: isKeyframeDue, afterRest: true, isAllNew: false, unpredicted: Int(motion.unpredicted),
            at: tick)
        (isFlipping, isLeafing, shownSince) = (wasFlipping, wasLeafing, shown)
        return isKeyframeDue || plan.quantizers.highest < 49 ? plan : nil
    }

    /// A picture in which nothing changes.
    private mutating func still(_ frame: PixelBuffer, isKeyframeDue: Bool, at tick: Int) -> FramePlan? {
        if tick - lastMotion <= ticks(Motion.calmTime) { motion.rest() }
        if !isAtRest {
            guard isKeyframeDue || tick - lastMotion >= 2 else { return nil }
            come(toRest: frame, at: tick)
        }
        if isKeyframeDue { return stillKeyframe(at: tick) }
        if let group, !group.isComplete {
            let age = tick - lastKeyframe
            return group.next(
                age: age, level: bucket.level, inflow: tickBytes * Double(max(0, interval - age)),
                reserve: reserve(after: group), page: min(1.5 * leastPage, 0.3 * capacity))
        }
        return refinement(at: tick)
    }

    private mutating func come(toRest frame: PixelBuffer, at tick: Int) {
        isAtRest = true
        isFlipping = false
        isLeafing = true
        shownSince = tick
        refinementFactor = 1
        keyframeSize = KeyframeSize(of: frame)
    }

    /// A change waits while the bucket has fewer bytes: a P picture that is too large for it becomes a keyframe, which
    /// empties it again. What moves first after a page may be small, and viewers wait for it. A frame that waits in a
    /// movement makes the next step twice as large, beyond x264's search: that one costs several times as much, and the
    /// frames after it wait too.
    private var leastForChange: Double {
        let sufficient = 0.1 * capacity + tickBytes / 2
        guard motion.fast.value > 0 else { return min(2 * tickBytes, sufficient) }
        return isAtRest ? sufficient : min(1.2 * tickBytes, sufficient)
    }

    /// True if a change is probably so cheap that nothing has to be measured: the bucket is full, and the last change
    /// took only a part of what flows into it. A clock and a text that is typed are like that.
    private func isCheap(share: Double) -> Bool {
        share < Motion.largestCheapShare && bucket.level >= 0.9 * capacity && Double(lastChangeBytes) <= tickBytes / 4
    }

    private mutating func smallChange(
        in frame: PixelBuffer, share: Double, isKeyframeDue: Bool, at tick: Int
    ) -> FramePlan {
        if !isAtRest { come(toRest: frame, at: tick) }
        if isKeyframeDue { return stillKeyframe(at: tick) }
        if share < Motion.smallestShare, let refinement = refinement(at: tick) { return refinement }
        var plan = FramePlan(.change, isIDR: false, quantizer: zones.highest, limit: level)
        plan.quantizers = zones
        // A small area that changes with every frame, a video for example, must not use up the bucket.
        let low = 0.3 * capacity
        if bucket.level < low { plan.quantizers.raise(by: Int((12 * (1 - max(0, bucket.level) / low)).rounded(.up))) }
        return plan
    }

    /// The pictures of the last interval, if they are as good as new ones would be; otherwise a new keyframe.
    private func stillKeyframe(at tick: Int) -> FramePlan {
        let limit = stillKeyframeLimit(at: tick)
        let quantizer = keyframeSize?.quantizer(in: Self.lowestQuantizer...coarsest, limit: limit) ?? 40
        if let group {
            let bytes = Double(group.keyframe.bytes)
            let isLikeNew =
                isRead(at: tick)
                ? quantizer >= group.keyframe.plan.quantizers.highest : bytes >= 0.75 * limit && bytes <= limit
            if bytes <= bucket.level, group.isGood || isLikeNew { return group.repeatedKeyframe }
        }
        return FramePlan(.keyframe, isIDR: true, quantizer: quantizer, limit: limit)
    }

    /// The bytes that the bucket should have at the next keyframe: those of the present one or, if the page is read
    /// then and a keyframe that uses all of the bucket has a lower QP, all.
    private func reserve(after group: StillGroup) -> Double {
        let all = 0.98 * capacity
        let best = keyframeSize?.quantizer(
            in: Self.lowestQuantizer...coarsest, limit: keyframeLimitOfReadPage(level: 0.99 * all))
        let isBetter = best.map { $0 < group.keyframe.plan.quantizers.highest } ?? false
        return isRead(at: lastKeyframe + interval) && isBetter && !group.isGood ? all : Double(group.keyframe.bytes)
    }

    /// The bytes that a keyframe of a still picture may have. It leaves a part of the bucket for a page that follows at
    /// once, more if pages follow each other. A page that is read for long is probably read for longer.
    private func stillKeyframeLimit(at tick: Int) -> Double {
        let level = bucket.level
        if isRead(at: tick) { return keyframeLimitOfReadPage(level: level) }
        if isLeafing { return min(0.7 * level, max(0.5 * level, level - leastPage)) }
        // The more a page needs, the more of it would be missing.
        return level * min(0.95, max(0.7, 1.33 - 1.05 * leastPage / capacity))
    }

    /// The same of a page that is read, with a level of the bucket.
    private func keyframeLimitOfReadPage(level: Double) -> Double {
        let quantizer = keyframeSize?.quantizer(in: Self.lowestQuantizer...coarsest, limit: 0.95 * level) ?? 0
        // With a low bitrate it takes little from this page, and the next one could not be read without it.
        return (quantizer < Self.softQuantizer ? 0.95 : 0.8) * level
    }

    /// True if the page is shown for some seconds.
    func isRead(at tick: Int) -> Bool { tick - shownSince >= ticks(3.5) }

    /// A refinement of the worse half; nil if the bucket has not enough for a step that is worth it.
    private mutating func refinement(at tick: Int) -> FramePlan? {
        guard let keyframeSize, group?.isGood != true else { return nil }
        let zone = zones.worse
        // Above it, the size does not depend on the QP.
        let from = min(zones[zone], KeyframeSize.coarsestQuantizer)
        guard from > Self.lowestQuantizer else { return nil }
        // Smaller steps waste bits.
        let to = max(Self.lowestQuantizer, from - 6)
        let part = hasZones ? 0.42 : 0.84
        let expected = part * keyframeSize.bytes(quantizer: to) * Self.refinementShare(of: from - to)
        guard expected * refinementFactor * 1.1 <= spare(at: tick, quantizer: from) else { return nil }
        var plan = FramePlan(
            .refinement(expected: expected), isIDR: false, quantizer: to, limit: bucket.level)
        plan.quantizers = hasZones ? zones : ZoneQuantizers(repeating: to)
        plan.quantizers[zone] = to
        return plan
    }

    /// The bytes that a refinement of a still picture with a QP may use.
    private func spare(at tick: Int, quantizer: Int) -> Double {
        let ofYoung = quantizer < Self.unreadableQuantizer ? 0.5 : 0.2
        let weight = isYoung ? ofYoung : isRead(at: tick) ? 0.3 : 1
        return spare(at: tick, quantizer: quantizer, inflow: tickBytes, weight: weight)
    }

    /// True if a page has just come: it is worth more than the next one, unless pages follow each other quickly.
    private var isYoung: Bool { lastKeyframe <= shownSince && !isFlipping }

    /// The bytes that a refinement of a picture with a QP may use: the rest is kept for the next keyframe and for the
    /// next page.
    ///
    /// - Parameters:
    ///   - inflow: the bytes that flow into the bucket at each tick and stay there.
    ///   - weight: what the next page counts for.
    func spare(at tick: Int, quantizer: Int, inflow: Double, weight: Double) -> Double {
        let ticksLeft = lastKeyframe + interval - tick
        // The sharper the page is, the less another refinement gains.
        let reserve = min(max(0.9 - 0.03 * Double(quantizer - 22), 0.15, leastPage / capacity), 0.9)
        // A page that cannot be read must not wait for the keyframe, which gets half of the bucket at most.
        let ofKeyframe = isYoung && isLeafing && quantizer >= Self.unreadableQuantizer ? 0.5 : 0.92
        // A picture with little on it needs less.
        let best = 1.1 * (keyframeSize?.bytes(quantizer: Self.lowestQuantizer) ?? capacity)
        let forKeyframe = max(0, min(ofKeyframe * capacity, best) - inflow * Double(ticksLeft))
        return bucket.level - max(forKeyframe, reserve * capacity * weight)
    }

    /// The bytes that the next page needs to be recognised, if it is like the present one. At most three fifths of the
    /// bucket.
    private var leastPage: Double {
        1.3 * min(0.46 * capacity, keyframeSize?.bytes(quantizer: Self.highestQuantizer) ?? 0)
    }

    /// The size of a refinement by some steps of QP, relative to an IDR picture with the new QP. It is nearly the same
    /// for all pages.
    static func refinementShare(of steps: Int) -> Double {
        let shares = [0, 0.01, 0.04, 0.10, 0.18, 0.25, 0.32, 0.35, 0.39, 0.44, 0.48, 0.52, 0.55]
        return steps < shares.count ? shares[max(0, steps)] : min(1, 0.55 + Double(steps - 12) * 0.03)
    }

    // MARK: Results

    /// Returns another plan for the same IDR picture if the bucket cannot pay for it, or if its size is far from its
    /// limit; nil if it can be sent. Nothing refers to an IDR picture that is not sent, so it can be encoded again.
    ///
    /// - Parameters:
    ///   - bytes: the size with `plan`.
    ///   - attempt: how often the picture was encoded.
    package mutating func retry(_ plan: FramePlan, bytes: Int, attempt: Int) -> FramePlan? {
        guard plan.isIDR, !plan.isSoft else { return nil }
        guard Double(bytes) > bucket.level else { return attempt == 1 ? closer(plan, bytes: bytes) : nil }
        var plan = plan
        let quantizer = plan.quantizers.highest
        guard bucket.level > 0, quantizer < coarsest, var size = keyframeSize else {
            plan.isSoft = true
            return plan
        }
        size.correct(bytes: bytes, quantizer: quantizer)
        keyframeSize = size
        plan.quantizers = ZoneQuantizers(
            repeating: self.quantizer(for: size, above: quantizer, limit: plan.limit, most: 0.95 * bucket.level))
        return plan
    }

    /// The lowest QP of an IDR picture with at most `limit` bytes. Details are left out only if it would have more than
    /// `most` bytes otherwise.
    func quantizer(for size: KeyframeSize, above lowest: Int, limit: Double, most: Double) -> Int {
        let detailed = max(lowest + 1, min(Self.highestQuantizer, coarsest))
        let quantizer = size.quantizer(in: lowest + 1...detailed, limit: min(limit, most))
        return size.bytes(quantizer: quantizer) <= most
            ? quantizer : size.quantizer(in: quantizer...coarsest, limit: most)
    }

    /// Returns an IDR picture in the place of a frame that the bucket cannot pay for soon; nil if it can. A new page
    /// waits for two ticks, and only if it lacks details.
    package mutating func replacement(for plan: FramePlan, frame: PixelBuffer, bytes: Int) -> FramePlan? {
        let isPage = if case .page = plan.kind { true } else { false }
        // An IDR picture with so few bytes shows less than a P picture that comes two ticks later.
        let isCoarse = plan.quantizers.highest > Self.highestQuantizer
        let payable =
            isPage
            ? max(bucket.level, isCoarse ? min(bucket.level + 2 * tickBytes, 0.9 * capacity) : 0)
            : min(bucket.level + 6 * tickBytes, 0.9 * capacity)
        guard !plan.isIDR, Double(bytes) > payable else { return nil }
        var size = KeyframeSize(of: frame)
        if isPage { size.correct(bytesOfPage: bytes, quantizer: plan.quantizers.highest) }
        keyframeSize = size
        let limit = 0.8 * max(0, bucket.level)
        let quantizer = size.quantizer(
            in: min(plan.quantizers.highest, coarsest)...coarsest, limit: limit)
        var plan = plan
        plan.isIDR = true
        plan.quantizers = ZoneQuantizers(repeating: quantizer)
        plan.limit = limit
        return plan
    }

    /// True if the bucket has enough for a keyframe that is not much worse than the picture.
    package mutating func allowsKeyframe(at time: MediaTime) -> Bool {
        bucket.advance(to: time)
        return bucket.level >= 0.6 * capacity
    }

    /// True if the bucket can pay for a frame.
    package mutating func canSend(bytes: Int, at time: MediaTime) -> Bool {
        bucket.advance(to: time)
        return Double(bytes) <= bucket.level
    }

    /// Returns a plan for an IDR picture that uses little of what it may, or clearly more: what is left is for what
    /// follows at once.
    private mutating func closer(_ plan: FramePlan, bytes: Int) -> FramePlan? {
        // In a movement it is as sharp as the frames around it, and need not use all that it may.
        let isMoving =
            switch plan.kind {
            case .movement, .page(_, afterRest: false): true
            default: false
            }
        let quantizer = plan.quantizers.highest
        let use = Double(bytes) / plan.limit
        guard use > 1.08 || !isMoving && use < 0.6 && quantizer > Self.lowestQuantizer + 4, var size = keyframeSize
        else { return nil }
        size.correct(bytes: bytes, quantizer: quantizer)
        keyframeSize = size
        let closer = self.quantizer(
            for: size, above: Self.lowestQuantizer - 1, limit: plan.limit, most: isMoving ? bucket.level : plan.limit)
        guard closer > quantizer || closer <= quantizer - 3 else { return nil }
        var plan = plan
        plan.quantizers = ZoneQuantizers(repeating: closer)
        return plan
    }

    /// Notes a frame that is sent.
    package mutating func note(_ plan: FramePlan, bytes: Int, at time: MediaTime) {
        let tick = tick(at: time)
        let quantizer = plan.quantizers.highest
        let owedPage = owesPage
        owesPage = plan.isSoft || quantizer > Motion.coarsestQuantizer
        noteGroup(plan, bytes: bytes, at: tick)
        bucket.spend(bytes)
        lastEncoded = tick
        if plan.isIDR {
            lastKeyframe = tick
            refinementFactor = 1
            zones = plan.quantizers
            keyframeSize?.correct(bytes: bytes, quantizer: quantizer)
            motion.noteKeyframe(bytes: bytes, quantizer: quantizer)
        }
        switch plan.kind {
        case .page(let unpredicted, let afterRest):
            zones = plan.quantizers
            if !afterRest { lastMotion = tick }
            motion.stillQuantizer = quantizer
            lastPage = tick
            // A page that viewers have already without its details is smaller.
            if !plan.isIDR, !owedPage, let keyframeSize {
                let share = Double(bytes) / keyframeSize.bytesOfPage(quantizer: quantizer)
                predictedShare = min(max((predictedShare + share) / 2, 0.4), 1)
            }
            motion.notePage(bytes: bytes, quantizer: quantizer, unpredicted: unpredicted)
        case .keyframe: break
        case .movement(let share, let predicted, let refinement):
            if isAtRest { motion.stillQuantizer = zones.highest }
            isAtRest = false
            lastMotion = tick
            if plan.isIDR {
                motion.stillQuantizer = quantizer
            } else {
                lastChangeBytes = bytes
                let isWhole = share > 0.95 || quantizer < zones.lowest
                motion.stillQuantizer = share > 0.95 ? quantizer : min(motion.stillQuantizer, quantizer)
                zones = isWhole ? plan.quantizers : zones.atLeast(quantizer)
                let moved = max(Double(bytes) - refinement, Double(bytes) / 5)
                motion.note(bytes: Int(moved), quantizer: quantizer, predicted: predicted)
            }
        case .change:
            lastChangeBytes = bytes
            zones = zones.atLeast(plan.quantizers)
        case .refinement(let expected):
            zones = plan.quantizers
            if expected > 3000 {
                refinementFactor = min(max((refinementFactor + Double(bytes) / expected) / 2, 0.5), 2)
            }
        }
        if plan.isSoft {
            zones = ZoneQuantizers(repeating: Self.highestQuantizer)
            motion.stillQuantizer = Self.highestQuantizer
        }
    }

    private mutating func noteGroup(_ plan: FramePlan, bytes: Int, at tick: Int) {
        if let index = plan.repeatedStep {
            group?.note(repeated: index)
            return
        }
        switch plan.kind {
        case .refinement:
            group?.append(plan, bytes: bytes, age: tick - lastKeyframe, level: bucket.level)
        case .keyframe, .page(_, afterRest: true):
            let good = plan.kind == .keyframe && isRead(at: tick) ? Self.goodQuantizer : Self.lowestQuantizer
            group =
                plan.isIDR && !owesPage
                ? StillGroup(keyframe: plan, bytes: bytes, isGood: plan.quantizers.highest <= good) : nil
        case .page, .movement, .change:
            group = nil
        }
    }

    /// Notes a repeat picture.
    package mutating func noteRepeat(bytes: Int, at time: MediaTime) {
        bucket.advance(to: time)
        bucket.spend(bytes)
    }
}

/// What is measured of a movement.
package protocol MovementMeter {
    /// Takes the next picture of a movement. Returns how much of it is new, in bytes of a small picture.
    func predicted(_ frame: PixelBuffer) -> Int
    /// The same of the picture that `predicted` has taken last, if all of it were new.
    func unpredicted() -> Int
}

/// How a frame is encoded.
package struct FramePlan: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Most of the picture is new. `unpredicted`: what `MovementMeter` says of it.
        case page(unpredicted: Int, afterRest: Bool)
        /// A still picture as an IDR picture.
        case keyframe
        /// A share of the picture moves. `predicted`: what `MovementMeter` says of it. `refinement`: the bytes
        /// that make the rest sharper.
        case movement(share: Double, predicted: Int, refinement: Double)
        /// A small part of a still picture changed.
        case change
        /// A still picture becomes sharper, or one half of it. `expected`: its bytes, without what the page has taught.
        case refinement(expected: Double)
    }

    package var kind: Kind
    package var isIDR: Bool
    package var quantizers: ZoneQuantizers
    /// The bytes that it may have.
    package var limit: Double
    /// Which picture since the last keyframe is sent again as it is, counted from the keyframe; nil if one is encoded.
    package var repeatedStep: Int?
    /// True if the picture is encoded without its details, because the bucket is nearly empty.
    package var isSoft = false

    package init(_ kind: Kind, isIDR: Bool, quantizer: Int, limit: Double) {
        self.kind = kind
        self.isIDR = isIDR
        quantizers = ZoneQuantizers(repeating: quantizer)
        self.limit = limit
    }

    /// True if x264 may take unchanged macroblocks from the last picture without a look, where that is not coarser. A
    /// page can follow a picture that lacks details, and is encoded as a whole.
    package var marksUnchanged: Bool {
        if case .page = kind { false } else { !isIDR }
    }
}

/// The QP of the upper half of each slice, and of its lower half: so each slice has a part of every refinement, and
/// both threads work.
package struct ZoneQuantizers: Equatable, Sendable {
    package var upper: Int
    package var lower: Int

    package init(repeating quantizer: Int) {
        (upper, lower) = (quantizer, quantizer)
    }

    package subscript(zone: Int) -> Int {
        get { zone == 0 ? upper : lower }
        set { if zone == 0 { upper = newValue } else { lower = newValue } }
    }

    package var highest: Int { max(upper, lower) }
    package var lowest: Int { min(upper, lower) }
    /// The zone with the higher QP.
    var worse: Int { lower > upper ? 1 : 0 }

    mutating func raise(by steps: Int) {
        upper = max(upper, min(upper + steps, ScreenRateControl.highestQuantizer))
        lower = max(lower, min(lower + steps, ScreenRateControl.highestQuantizer))
    }

    func atLeast(_ quantizer: Int) -> Self { atLeast(Self(repeating: quantizer)) }

    func atLeast(_ other: Self) -> Self {
        var result = self
        result.upper = max(upper, other.upper)
        result.lower = max(lower, other.lower)
        return result
    }
}
