import Encode
import Testing

/// The count of x264's buffer, against the steps of `update_vbv` in x264's ratecontrol.c.
@Suite struct X264BufferTests {
    /// 3000 kbit/s at 30 ticks a second: a tick is 100 kbit.
    private var full: X264Buffer { X264Buffer(rate: 3000, size: 3000, share: 1, frameRate: 30) }

    @Test func `a frame takes its size, and a tick comes in`() {
        var buffer = full
        buffer.note(size: 1000 * 125)
        #expect(buffer.bytes == 2100 * 125)
        buffer.note(size: 0)
        buffer.note(size: 9000 * 125)
        #expect(buffer.bytes == 100 * 125, "it is never below zero before the tick")
    }

    @Test func `a smaller buffer cuts what is left after the frame`() {
        var buffer = full
        buffer.prepare(BitrateShare(ticks: 1, level: 1000 * 125), kilobits: 3000, capacity: 3000)
        #expect(buffer.size == 1000)
        buffer.note(size: 900 * 125)
        // 3000 - 900 + 100, and not 1000 - 900 + 100.
        #expect(buffer.bytes == 1000 * 125)
        buffer.prepare(BitrateShare(ticks: 1, level: 200 * 125), kilobits: 3000, capacity: 3000)
        #expect(buffer.size == 200)
        buffer.note(size: 0)
        #expect(buffer.bytes == 200 * 125)
    }

    @Test func `a level that is not exceeded cuts nothing`() {
        var buffer = full
        buffer.prepare(BitrateShare(ticks: 1, level: 2950 * 125), kilobits: 3000, capacity: 3000)
        #expect(buffer.size == 3000 && buffer.rate == 3000)
    }

    @Test(arguments: [
        (BitrateShare(ticks: 4), 4), (BitrateShare(ticks: 60), 6), (BitrateShare(ticks: 60, mayUseAll: true), 24),
        (BitrateShare(ticks: -3), 1),
    ])
    func `a frame counts for so many ticks that it may use half of the buffer, or all of it`(
        share: BitrateShare, ticks: Int
    ) {
        var buffer = full
        buffer.prepare(share, kilobits: 3000, capacity: 3000)
        #expect(buffer.rate == 3000 * ticks)
        #expect(buffer.size > buffer.rate / 30, "x264 needs a buffer of more than a frame")
    }

    @Test func `the rate stays below the one that x264 accepts`() {
        var buffer = X264Buffer(rate: 100_000, size: 100_000, share: 1, frameRate: 60)
        buffer.prepare(BitrateShare(ticks: 60, isDoubled: true, mayUseAll: true), kilobits: 100_000, capacity: 200_000)
        #expect(buffer.rate == 2_000_000)
    }

    // MARK: Keyframes

    @Test func `the size of a keyframe doubles for six steps of QP`() {
        var estimate = KeyframeEstimate()
        #expect(estimate.quantizer(lowest: 20, limit: 1000) == nil)
        estimate.noteKeyframe(size: 1000, quantizer: 30)
        #expect(estimate.quantizer(lowest: 20, limit: 2000) == 24)
        #expect(estimate.quantizer(lowest: 27, limit: 2000) == 27)
        #expect(estimate.quantizer(lowest: 20, limit: 0) == nil && estimate.quantizer(lowest: 60, limit: 1000) == nil)
    }

    @Test func `a new picture replaces the estimate, and a page that moved does not`() {
        var estimate = KeyframeEstimate()
        estimate.noteKeyframe(size: 1600, quantizer: 30)
        estimate.noteNewPicture(size: 90, quantizer: 30)
        #expect(estimate.quantizer(lowest: 20, limit: 1600) == 30)
        estimate.noteNewPicture(size: 400, quantizer: 30)
        #expect(estimate.quantizer(lowest: 20, limit: 1600) == 20)
    }
}
