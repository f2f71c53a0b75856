import Encode
import Glibc
import Media
import Testing

/// The rules of the rate control of screens, with given sizes instead of an encoder.
@Suite struct ScreenRateControlTests {
    private static let size = PixelSize(width: 640, height: 352)
    private static let page = Self.frame(Page(size: Self.size))
    /// The bytes of one second of the bitrate.
    private static let second = 187_500.0

    private var control = ScreenRateControl(
        kilobits: 1500, frameRate: 30, keyframeInterval: MediaTime(milliseconds: 2000))
    private let meter = FixedMeter(predicted: 4000, unpredicted: 4000)

    @Test mutating func `a new page is an IDR picture with most of the bucket`() throws {
        let plan = try #require(change(.whole(Self.size), at: 0))
        #expect(plan.isIDR && plan.limit == 0.92 * 0.9 * Self.second)
        #expect(plan.quantizers == ZoneQuantizers(repeating: 14))
    }

    @Test mutating func `a page just after a keyframe is one itself`() throws {
        try show(at: 0)
        let keyframe = try #require(still(at: 60, isKeyframeDue: true))
        control.note(keyframe, bytes: 100_000, at: time(60))
        let plan = try #require(change(.whole(Self.size), at: 62))
        #expect(plan.isIDR)
        guard case .page = plan.kind else {
            Issue.record("\(plan)")
            return
        }
    }

    @Test mutating func `text that only moves is not taken for a new page`() throws {
        try show(at: 0)
        let moved = FixedMeter(predicted: 3500, unpredicted: 4000)
        let plan = try #require(change(.whole(Self.size), at: 60, meter: moved, isKeyframeDue: false))
        #expect(!plan.isIDR)
    }

    @Test mutating func `an IDR picture that the bucket cannot pay for is encoded again until it can`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        var quantizers = [plan.quantizers.highest]
        for attempt in 1..<20 {
            let bytes = plan.isSoft ? 2000 : 400_000
            guard let next = control.retry(plan, bytes: bytes, attempt: attempt) else { break }
            plan = next
            quantizers.append(plan.quantizers.highest)
        }
        #expect(plan.isSoft, "a picture that is too large with every QP loses its details")
        #expect(quantizers == quantizers.sorted() && quantizers.last == 51)
    }

    @Test mutating func `after a soft picture, the page follows as soon as the bucket can pay for it`() throws {
        var soft = try #require(change(.whole(Self.size), at: 0))
        soft.isSoft = true
        control.note(soft, bytes: Int(Self.second) - 100, at: time(0))
        let ticks = (1..<60).first { still(at: $0) != nil }
        let tick = try #require(ticks)
        #expect(tick > 1 && tick < 15)
    }

    @Test mutating func `a still page is refined in steps of six, half by half, down to QP 14`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 28)
        control.note(plan, bytes: 60_000, at: time(0))
        var steps: [ZoneQuantizers] = []
        for tick in 1..<59 {
            guard let plan = still(at: tick) else { continue }
            control.note(plan, bytes: 5000, at: time(tick))
            steps.append(plan.quantizers)
        }
        #expect(steps.map(\.upper) == [22, 22, 16, 16, 14, 14] && steps.map(\.lower) == [28, 22, 22, 16, 16, 14])
        #expect(control.isSettled(at: time(59)))
    }

    @Test mutating func `a still keyframe leaves a part of the bucket to the next page, until the page is read`() throws
    {
        try show(at: 0)
        var plan = try #require(change(.whole(Self.size), at: 60))
        plan.quantizers = ZoneQuantizers(repeating: 28)
        control.note(plan, bytes: 150_000, at: time(60))
        let first = try #require(still(at: 120, isKeyframeDue: true))
        #expect(first.repeatedStep == nil, "the keyframe of the page leaves too little")
        control.note(first, bytes: 120_000, at: time(120))
        let second = try #require(still(at: 180, isKeyframeDue: true))
        #expect(first.limit <= 0.7 * Self.second && second.limit == 0.95 * Self.second)
    }

    @Test mutating func `a page without another one before it is sent again at the next keyframe`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 28)
        var other = self
        other.control.note(plan, bytes: 50_000, at: time(0))
        let larger = other.still(at: 60, isKeyframeDue: true)
        let new = try #require(larger)
        #expect(new.repeatedStep == nil, "a new keyframe may be much larger")
        control.note(plan, bytes: Int(0.9 * new.limit), at: time(0))
        let again = try #require(still(at: 60, isKeyframeDue: true))
        #expect(again.repeatedStep == 0)
    }

    @Test mutating func `a good keyframe of a still page is sent again, and a change ends that`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        control.note(plan, bytes: 20_000, at: time(0))
        #expect((1..<60).allSatisfy { still(at: $0) == nil })
        plan = try #require(still(at: 60, isKeyframeDue: true))
        #expect(plan.repeatedStep == 0)
        control.note(plan, bytes: 20_000, at: time(60))
        let small = DamageRegion(size: Self.size, rectangle: PixelRect(x: 0, y: 0, width: 32, height: 16))
        var other = self
        let changedKeyframe = other.change(small, at: 120, isKeyframeDue: true)
        #expect(changedKeyframe?.isIDR == true && changedKeyframe?.repeatedStep == nil)
        let changed = try #require(change(small, at: 70))
        control.note(changed, bytes: 300, at: time(70))
        plan = try #require(still(at: 120, isKeyframeDue: true))
        #expect(plan.repeatedStep == nil)
    }

    @Test mutating func `refinements are sent again in their order, when the bucket can pay for them`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 30)
        control.note(plan, bytes: 100_000, at: time(0))
        var keyframe = try #require(still(at: 120, isKeyframeDue: true))
        #expect(keyframe.repeatedStep == nil)
        keyframe.quantizers = ZoneQuantizers(repeating: 30)
        control.note(keyframe, bytes: 172_000, at: time(120))
        var offsets: [Int] = []
        for tick in 121..<180 {
            guard let plan = still(at: tick) else { continue }
            #expect(plan.repeatedStep == nil)
            offsets.append(tick - 120)
            control.note(plan, bytes: 30_000, at: time(tick))
        }
        try #require(offsets.count > 1)
        for start in [180, 240] {
            keyframe = try #require(still(at: start, isKeyframeDue: true))
            #expect(keyframe.repeatedStep == 0)
            control.note(keyframe, bytes: 172_000, at: time(start))
            #expect(!control.isSettled(at: time(start)))
            var again: [Int] = []
            for tick in start + 1..<start + 60 {
                guard let plan = still(at: tick) else { continue }
                again.append(tick - start)
                #expect(plan.repeatedStep == again.count)
                control.note(plan, bytes: 30_000, at: time(tick))
            }
            // A little later, because they leave enough for a new page.
            #expect(again.count == offsets.count && zip(again, offsets).allSatisfy { $0 >= $1 })
        }
    }

    @Test mutating func `refinements that are sent again leave enough for a new page`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 30)
        control.note(plan, bytes: 100_000, at: time(0))
        for start in [120, 180, 240] {
            var keyframe = try #require(still(at: start, isKeyframeDue: true))
            keyframe.quantizers = ZoneQuantizers(repeating: 30)
            control.note(keyframe, bytes: 172_000, at: time(start))
            var count = 0
            for tick in start + 1..<start + 60 {
                guard let plan = still(at: tick) else { continue }
                count += 1
                control.note(plan, bytes: 30_000, at: time(tick))
                // Three tenths of the bucket, once they cost nothing.
                let isEnough = control.canSend(bytes: 56_000, at: time(tick))
                #expect(start == 120 || isEnough, "tick \(tick - start)")
            }
            #expect(count > 1)
        }
    }

    @Test mutating func `a small change has the QP of the picture around it`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 30)
        control.note(plan, bytes: 180_000, at: time(0))
        let small = DamageRegion(size: Self.size, rectangle: PixelRect(x: 0, y: 0, width: 32, height: 16))
        plan = try #require(change(small, at: 12))
        #expect(plan.kind == .change && plan.marksUnchanged && plan.quantizers == ZoneQuantizers(repeating: 30))
    }

    @Test mutating func `a larger change is not measured while the bucket is full and the last one was cheap`()
        throws
    {
        try show(at: 0)
        let clock = DamageRegion(size: Self.size, rectangle: PixelRect(x: 0, y: 0, width: 320, height: 112))
        var kinds: [FramePlan.Kind] = []
        for tick in 1..<50 {
            let plan = try #require(change(clock, at: tick))
            #expect(plan.marksUnchanged)
            kinds.append(plan.kind)
            control.note(plan, bytes: 300, at: time(tick))
        }
        #expect(kinds.first != .change && kinds.last == .change)
        // Something else moves there now.
        let dear = try #require(change(clock, at: 50))
        control.note(dear, bytes: Int(Self.second / 60), at: time(50))
        let measured = try #require(change(clock, at: 51))
        guard case .movement = measured.kind else { return #expect(Bool(false), "\(measured.kind)") }
    }

    @Test mutating func `the keyframe of a page that is read uses what the bucket has, once`() throws {
        var plan = try #require(change(.whole(Self.size), at: 0))
        plan.quantizers = ZoneQuantizers(repeating: 30)
        control.note(plan, bytes: 150_000, at: time(0))
        for (tick, isNew) in [(60, false), (120, true), (180, false), (240, false)] {
            let keyframe = try #require(still(at: tick, isKeyframeDue: true))
            #expect((keyframe.repeatedStep == nil) == isNew, "at \(tick)")
            control.note(keyframe, bytes: keyframe.repeatedStep == nil ? 172_000 : Int(keyframe.limit), at: time(tick))
        }
    }

    @Test mutating func `a page that the bucket cannot pay for uses most of what there is`() throws {
        let size = KeyframeSize(of: Self.page)
        // The keyframe of the page before leaves three fifths of what this one needs with the highest QP.
        let rest = 0.6 * size.bytes(quantizer: 51)
        control = ScreenRateControl(
            kilobits: 300, frameRate: 30, keyframeInterval: MediaTime(milliseconds: 2000), highestQuantizer: 61)
        let first = try #require(change(.whole(Self.size), at: 0))
        control.note(first, bytes: 30_000, at: time(0))
        let keyframe = try #require(still(at: 120, isKeyframeDue: true))
        control.note(keyframe, bytes: Int(37_500 - rest / 0.92), at: time(120))
        let plan = try #require(change(.whole(Self.size), at: 120))
        // With the sizes of IDR pictures it would be 55, and use a third.
        #expect(!plan.isIDR && (52...54).contains(plan.quantizers.highest))
        // What pages of text took: seven tenths of an IDR picture.
        let bytes = 0.7 * size.bytesOfPage(quantizer: plan.quantizers.highest)
        #expect((0.5...1).contains(bytes / plan.limit), "\(plan)")
        // It waits for two ticks of 1250 bytes rather than to become an IDR picture, which shows less; not for more.
        let level = Int(rest / 0.92)
        var other = control
        #expect(other.replacement(for: plan, frame: Self.page, bytes: level + 2400) == nil)
        #expect(other.replacement(for: plan, frame: Self.page, bytes: level + 2600)?.isIDR == true)
        // Nor for what the bucket can never have.
        control.note(plan, bytes: 0, at: time(120))
        _ = still(at: 178)
        #expect(control.replacement(for: plan, frame: Self.page, bytes: 37_600)?.isIDR == true)
    }

    @Test mutating func `a page that cannot be read yet is refined before the bucket is filled for the next one`()
        throws
    {
        var plan = try #require(change(.whole(Self.size), at: 0))
        var first: [Int?] = []
        for quantizer in [47, 43] {
            var other = self
            plan.quantizers = ZoneQuantizers(repeating: quantizer)
            other.control.note(plan, bytes: Int(0.9 * Self.second) - 1000, at: time(0))
            first.append((1..<59).first { other.still(at: $0) != nil })
        }
        let (unreadable, soft) = (try #require(first[0]), try #require(first[1]))
        #expect(unreadable < soft, "\(unreadable), \(soft)")
    }

    @Test mutating func `with an empty bucket, a change waits`() throws {
        let plan = try #require(change(.whole(Self.size), at: 0))
        control.note(plan, bytes: Int(Self.second), at: time(0))
        #expect(change(.whole(Self.size), at: 1) == nil)
        var other = self
        let keyframe = other.change(.whole(Self.size), at: 1, isKeyframeDue: true)
        #expect(keyframe?.isIDR == true)
        // It may be coarse, but it does not wait until it could be sharp.
        #expect(change(.whole(Self.size), at: 6) != nil)
    }

    @Test mutating func `a movement follows the bitrate`() throws {
        try show(at: 0)
        var bytes: [Double] = []
        for tick in 1..<300 {
            guard let plan = change(.whole(Self.size), at: tick, meter: FixedMeter(predicted: 1500, unpredicted: 4000))
            else { continue }
            // Twice the bytes for each 6 steps of QP below 30, where it needs twice the bitrate.
            let size = 2 * Self.second / 30 * exp2((30 - Double(plan.quantizers.highest)) / 6)
            control.note(plan, bytes: Int(size), at: time(tick))
            bytes.append(size)
        }
        let mean = bytes[100...].reduce(0, +) / Double(bytes.count - 100) * 30
        #expect(bytes.count > 290 && mean > 0.9 * Self.second && mean < 1.1 * Self.second, "\(mean) bytes a second")
    }

    @Test(arguments: [(predicted: 1500, share: 0.8), (200, 0.75)])
    mutating func `a keyframe in a movement leaves a part of the bucket to the frames after it`(
        predicted: Int, share: Double
    ) throws {
        let page = try #require(change(.whole(Self.size), at: 0))
        control.note(page, bytes: 160_000, at: time(0))
        let meter = FixedMeter(predicted: predicted, unpredicted: 4000)
        for tick in 1..<60 {
            let plan = change(.whole(Self.size), at: tick, meter: meter)
            if let plan { control.note(plan, bytes: 500, at: time(tick)) }
        }
        // The bucket is full.
        let keyframe = try #require(change(.whole(Self.size), at: 60, meter: meter, isKeyframeDue: true))
        #expect(keyframe.isIDR && keyframe.limit <= share * Self.second)
        for bytes in [1.1 * keyframe.limit, 1.1 * Self.second] {
            var control = control
            let again = control.retry(keyframe, bytes: Int(bytes), attempt: 1)
            let smaller = try #require(again)
            #expect(smaller.isIDR && smaller.quantizers.highest > keyframe.quantizers.highest)
        }
        control.note(keyframe, bytes: Int(keyframe.limit), at: time(60))
        let next = try #require(change(.whole(Self.size), at: 61, meter: meter))
        #expect(next.quantizers.lowest >= keyframe.quantizers.highest - 2, "all of the picture becomes sharper at once")
    }

    @Test mutating func `beside a small movement, the rest is refined with what the next keyframe does not need`()
        throws
    {
        let page = try #require(change(.whole(Self.size), at: 0))
        let quantizer = 30
        var coarse = page
        coarse.quantizers = ZoneQuantizers(repeating: quantizer)
        control.note(coarse, bytes: 160_000, at: time(0))
        let meter = FixedMeter(predicted: 61, unpredicted: 4000)
        var video = DamageRegion(size: Self.size)
        video.add(PixelRect(x: 0, y: 0, width: 320, height: 176))
        var refinements = 0
        for tick in 1..<60 {
            guard let plan = change(video, at: tick, meter: meter),
                case .movement(_, _, let refinement) = plan.kind
            else { continue }
            control.note(plan, bytes: 1500 + Int(refinement), at: time(tick))
            if refinement > 0 { refinements += 1 }
        }
        #expect(refinements > 0 && refinements < 8, "few and large ones")
        let keyframe = try #require(change(.whole(Self.size), at: 60, meter: meter, isKeyframeDue: true))
        #expect(keyframe.limit > 0.6 * Self.second, "it is as good as the page")
    }

    @Test mutating func `a frame of a movement does not wait until the bucket is a tenth full`() throws {
        try show(at: 0)
        let meter = FixedMeter(predicted: 400, unpredicted: 4000)
        var waits = 0
        for tick in 1..<60 {
            guard let plan = change(.whole(Self.size), at: tick, meter: meter) else {
                waits += 1
                continue
            }
            // More than flows in, until the bucket is nearly empty, and then as much.
            let isFull = control.canSend(bytes: 20_000, at: time(tick))
            control.note(plan, bytes: isFull ? 16_000 : 6000, at: time(tick))
        }
        #expect(waits == 0)
    }

    @Test mutating func `a coarse frame of a movement does not stop the movement`() throws {
        control = ScreenRateControl(
            kilobits: 1500, frameRate: 30, keyframeInterval: MediaTime(milliseconds: 2000), highestQuantizer: 61)
        try show(at: 0)
        let meter = FixedMeter(predicted: 2300, unpredicted: 4000)
        var (coarsest, frames) = (0, 0)
        for tick in 1..<300 {
            guard let plan = change(.whole(Self.size), at: tick, meter: meter) else { continue }
            guard case .movement = plan.kind else {
                Issue.record("\(plan)")
                return
            }
            frames += 1
            coarsest = max(coarsest, plan.quantizers.highest)
            // With every QP more than flows in.
            control.note(plan, bytes: 9000, at: time(tick))
        }
        #expect(coarsest > 51 && coarsest <= 54, "with more, viewers would be owed a page")
        #expect(frames > 190)
    }

    @Test mutating func `a cut in a movement is not made sharper than the frames around it`() throws {
        try show(at: 0)
        for tick in 1..<40 {
            let moved = change(.whole(Self.size), at: tick, meter: FixedMeter(predicted: 1000, unpredicted: 4000))
            let plan = try #require(moved)
            control.note(plan, bytes: 8000, at: time(tick))
        }
        let page = change(.whole(Self.size), at: 40, meter: meter)
        let cut = try #require(page)
        #expect(cut.isIDR)
        let sharper = control.retry(cut, bytes: Int(cut.limit / 3), attempt: 1)
        #expect(sharper == nil, "it may have fewer bytes")
        let again = control.retry(cut, bytes: Int(cut.limit * 1.2), attempt: 1)
        let smaller = try #require(again)
        #expect(smaller.quantizers.lowest > cut.quantizers.lowest)
    }

    @Test mutating func `a picture whose keyframe needs little is refined at once`() throws {
        control = ScreenRateControl(kilobits: 6000, frameRate: 30, keyframeInterval: MediaTime(milliseconds: 2000))
        try show(at: 0)
        let moved = FixedMeter(predicted: 3500, unpredicted: 4000)
        for tick in 1..<45 {
            guard let plan = change(.whole(Self.size), at: tick, meter: moved) else { continue }
            // At the end, about a fifth of the bucket is left.
            control.note(plan, bytes: 38_000, at: time(tick))
        }
        var quantizers: [Int] = []
        for tick in 45..<57 {
            guard let plan = still(at: tick) else { continue }
            control.note(plan, bytes: 10_000, at: time(tick))
            quantizers.append(plan.quantizers.lowest)
        }
        #expect(quantizers.last.map { $0 < 30 } == true, "\(quantizers)")
    }

    // MARK: Helpers

    private static func frame(_ page: Page) -> PixelBuffer {
        guard case .picture(let picture) = page.sample(at: .zero, isChanged: true).payload,
            let frame = picture.patches.first?.pixels
        else { fatalError("a page has a picture") }
        return frame
    }

    private func time(_ tick: Int) -> MediaTime { MediaTime(value: Int64(tick), timescale: 30) }

    /// Shows a page and counts its bytes.
    private mutating func show(at tick: Int) throws {
        let plan = try #require(change(.whole(Self.size), at: tick))
        control.note(plan, bytes: 60_000, at: time(tick))
    }

    private mutating func change(
        _ region: DamageRegion, at tick: Int, meter: FixedMeter? = nil, isKeyframeDue: Bool? = nil
    ) -> FramePlan? {
        control.plan(
            Self.page, changed: region, isKeyframeDue: isKeyframeDue ?? (tick == 0), at: time(tick),
            meter: meter ?? self.meter)
    }

    private mutating func still(at tick: Int, isKeyframeDue: Bool = false) -> FramePlan? {
        control.plan(
            Self.page, changed: DamageRegion(size: Self.size), isKeyframeDue: isKeyframeDue, at: time(tick),
            meter: meter)
    }
}

private struct FixedMeter: MovementMeter {
    let predictedBytes: Int
    let unpredictedBytes: Int

    init(predicted: Int, unpredicted: Int) {
        predictedBytes = predicted
        unpredictedBytes = unpredicted
    }

    func predicted(_ frame: PixelBuffer) -> Int { predictedBytes }
    func unpredicted() -> Int { unpredictedBytes }
}

extension DamageRegion {
    fileprivate init(size: PixelSize, rectangle: PixelRect) {
        self.init(size: size)
        add(rectangle)
    }
}

/// The size of an IDR picture, estimated without encoding it.
@Suite struct KeyframeSizeTests {
    private static let size = PixelSize(width: 640, height: 352)

    @Test(arguments: [16, 22, 28, 34]) func `the estimate of a page of text is close to its size`(quantizer: Int) throws
    {
        let page = Page(size: Self.size)
        let frame = try #require(page.frame)
        let estimate = KeyframeSize(of: frame).bytes(quantizer: quantizer)
        let encoder = try VideoEncoder(
            settings: VideoSettings(size: Self.size, rateControl: .quality(Double(quantizer))))
        let real = try encoder.encode(page.sample(at: .zero, isChanged: true)).reduce(0) { $0 + $1.data.count }
        #expect(Double(real) > 0.6 * estimate && Double(real) < 1.6 * estimate, "\(estimate), in fact \(real)")
    }

    @Test func `a real size corrects the estimate for every QP`() throws {
        let frame = try #require(Page(size: Self.size).frame)
        var size = KeyframeSize(of: frame)
        let before = size.bytes(quantizer: 30)
        size.correct(bytes: Int(2 * size.bytes(quantizer: 20)), quantizer: 20)
        #expect(abs(size.bytes(quantizer: 30) / before - 2) < 0.001)
        #expect(size.quantizer(in: 14...50, limit: .infinity) == 14 && size.quantizer(in: 14...50, limit: 0) == 50)
    }

    @Test(arguments: [48, 53, 56]) func `a real size of a P picture corrects the estimate too`(quantizer: Int) throws {
        let frame = try #require(Page(size: Self.size).frame)
        var size = KeyframeSize(of: frame)
        size.correct(bytesOfPage: 12_345, quantizer: quantizer)
        #expect(abs(size.bytesOfPage(quantizer: quantizer) - 12_345) < 1)
    }

    @Test func `a page without anything on it needs almost nothing`() throws {
        let frame = try #require(Page(plain: Self.size).frame)
        #expect(KeyframeSize(of: frame).bytes(quantizer: 14) < 2000)
    }
}

extension Page {
    fileprivate var frame: PixelBuffer? {
        guard case .picture(let picture) = sample(at: .zero, isChanged: true).payload else { return nil }
        return picture.patches.first?.pixels
    }
}

/// The bucket, over a long time of random screens.
@Suite struct BitrateBucketTests {
    private static let size = PixelSize(width: 128, height: 96)

    @Test(arguments: [(40, 0.5, 1), (120, 1, 2), (600, 0.5, 3)])
    func `a bucket of one second of the bitrate never underflows`(kilobits: Int, hours: Double, seed: UInt64) throws {
        let encoder = try VideoEncoder(settings: VideoSettings(size: Self.size, rateControl: .bitrate(kilobits)))
        var random = SplitMix(state: seed)
        let capacity = Double(kilobits) * 125
        var (level, lowest, last) = (capacity, capacity, MediaTime.zero)
        var number = 0
        for tick in 0..<Int(hours * 3600 * 30) {
            let time = MediaTime(value: Int64(tick), timescale: 30)
            if random.next() % 200 == 0 { encoder.requestKeyframe() }
            // Rest, a movement, pages that follow each other, and everything at once, for seconds each.
            let mode = random.mode(at: tick)
            let changes = mode == 1 || mode == 2 && random.next() % 20 == 0 || mode == 3 && random.next() % 2 == 0
            if changes || tick == 0 { number += 1 }
            let packets =
                changes || tick == 0
                ? try encoder.encode(Self.noise(number, isFine: mode != 1).sample(at: time, isChanged: true))
                : try encoder.encodeRepeat(at: time)
            for packet in packets {
                level = min(capacity, level + capacity * (packet.presentationTime - last).seconds)
                last = packet.presentationTime
                level -= Double(packet.data.count)
                lowest = min(lowest, level)
            }
        }
        // Times are whole microseconds.
        #expect(lowest > -1, "\(lowest) of \(capacity) bytes")
    }

    private static func noise(_ number: Int, isFine: Bool) -> Page {
        Page(
            size: size, part: PixelRect(x: 0, y: 0, width: isFine ? 128 : 64, height: isFine ? 96 : 48), number: number,
            isNoise: true)
    }
}

private struct SplitMix {
    var state: UInt64
    private var current: UInt64 = 0

    init(state: UInt64) {
        self.state = state
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// One of four modes, which changes about every two seconds.
    mutating func mode(at tick: Int) -> UInt64 {
        if tick == 0 || next() % 60 == 0 { current = next() % 4 }
        return current
    }
}
