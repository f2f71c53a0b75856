import Media
import Pipeline
import Testing

struct ChangePhaseTests {
    /// A source that paints regularly, and a loop that looks at it as `CaptureLoop` does.
    private struct Rig {
        /// Milliseconds.
        var interval = 33.0
        var paintInterval = 33.0
        var paintOffset = 10.0
        /// Added to every second painting.
        var jitter = 0.0
        var phase: ChangePhase
        /// Milliseconds from each painting that was shown to its look.
        var ages: [Double] = []
        /// How many paintings were never shown.
        var lost = 0
        var lateLooks = 0

        init(paintInterval: Double = 33, paintOffset: Double = 10, jitter: Double = 0) {
            self.paintInterval = paintInterval
            self.paintOffset = paintOffset
            self.jitter = jitter
            phase = ChangePhase(interval: MediaTime(milliseconds: 33))
        }

        func painting(_ index: Int) -> Double {
            paintOffset + Double(index) * paintInterval + (index % 2 == 0 ? 0 : jitter)
        }

        /// - Parameter ticks: the first one is at 33 ms, so that the first painting waits for it if its offset is not
        ///   zero.
        mutating func run(ticks: Int) {
            var next = 0
            for tick in 1...ticks {
                let start = Double(tick) * interval
                let end = start + interval
                let time = MediaTime(milliseconds: Int64(start))
                var look = start
                if let delay = phase.delay(at: time) {
                    look += delay.seconds * 1000
                    lateLooks += 1
                }
                let hadChange = painting(next) <= look
                phase.noteTick(at: time, hadChange: hadChange)
                if !hadChange {
                    guard painting(next) < end else { continue }
                    look = painting(next)
                }
                var newest = next
                while painting(newest + 1) <= look { newest += 1 }
                lost += newest - next
                ages.append(look - painting(newest))
                next = newest + 1
                guard hadChange else { continue }
                phase.noteChange(
                    after: painting(next) < end
                        ? MediaTime(milliseconds: Int64(max(painting(next), look) - start)) : nil)
            }
        }
    }

    @Test(arguments: [2.0, 10, 20])
    func `A source at the rate of the ticks is grabbed when it paints, for one lost picture`(offset: Double) {
        var rig = Rig(paintOffset: offset)
        rig.run(ticks: 300)
        #expect(rig.lateLooks == 1 && rig.lost == 1)
        #expect(rig.ages.first == 33 - offset && rig.ages.suffix(280).allSatisfy { $0 == 0 })
    }

    @Test func `A source that paints just before the ticks is left alone`() {
        var rig = Rig(paintOffset: 28)
        rig.run(ticks: 300)
        #expect(rig.lateLooks == 0 && rig.lost == 0 && rig.ages.allSatisfy { $0 <= 5 })
    }

    @Test func `A source that paints irregularly is left alone`() {
        var rig = Rig(paintOffset: 5, jitter: 12)
        rig.run(ticks: 300)
        #expect(rig.lateLooks == 0 && rig.lost == 0)
    }

    @Test func `A source that paints twice as often gets few late looks`() {
        var rig = Rig(paintInterval: 16.5, paintOffset: 10)
        // One minute.
        rig.run(ticks: 1800)
        #expect((1...6).contains(rig.lateLooks), "\(rig.lateLooks)")
    }

    @Test(arguments: [32.9, 33.1]) func `A source whose rate differs a little loses no more than the difference`(
        paintInterval: Double
    ) {
        var rig = Rig(paintInterval: paintInterval, paintOffset: 10)
        rig.run(ticks: 3000)
        // In 3000 ticks a faster source paints nine pictures too many, and the phase is set once at the start.
        #expect(rig.lost <= 11, "\(rig.lost)")
    }
}
