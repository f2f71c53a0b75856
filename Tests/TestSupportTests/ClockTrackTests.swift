import TestPatterns
import TestSupport
import Testing

/// Which recordings count as a running clock, and how sound lies to picture, without a recording.
struct ClockTrackTests {
    /// Seconds of a clock that begins at 100 s, 30 frames a second. `painted` bends the painted time, in seconds since
    /// the first frame.
    private func track(seconds: Double = 5, painted: (Double) -> Double = { $0 }) -> ClockTrack {
        ClockTrack(
            (0..<Int(seconds * 30)).map { index in
                let time = Double(index) / 30
                return .init(pts: time, milliseconds: UInt32((100 + painted(time)) * 1000))
            })
    }

    @Test func `A clock that runs has no fault, also across the end of its 32 bits`() {
        #expect(track().fault == nil)
        let wrapped = (0..<90).map {
            ClockTrack.Reading(pts: Double($0) / 30, milliseconds: UInt32.max - 1000 &+ UInt32($0 * 100 / 3))
        }
        #expect(ClockTrack(wrapped).fault == nil)
    }

    @Test func `A recording that freezes at any time is a fault`() {
        #expect(!track { _ in 0 }.isRunning)
        #expect(!track(seconds: 0.5) { _ in 0 }.isRunning)
        #expect(!track { min($0, 3) }.isRunning)
        // It stands still for a second and then goes on with the right time.
        #expect(!track { (2..<3.2).contains($0) ? 2 : $0 }.isRunning)
    }

    @Test func `A clock that goes back, at another speed, or in a few large steps is a fault`() {
        #expect(!track { $0 < 2 ? $0 : $0 - 1 }.isRunning)
        #expect(!track { $0 * 1.2 }.isRunning)
        #expect(!track { $0 * 0.8 }.isRunning)
        #expect(!track { $0 < 2 ? $0 : $0 + 0.4 }.isRunning)
        // A jump within the first second, or within the last one, is more than a painter that is late.
        #expect(!track { $0 < 0.1 ? $0 : $0 + 1.2 }.isRunning)
        #expect(!track { $0 < 4.9 ? $0 : $0 + 1.2 }.isRunning)
    }

    @Test func `Few different times are a fault where the machine is not busy, and very few always are`() {
        #expect(track().isSmooth)
        let steps = track { ($0 * 5).rounded(.down) / 5 }
        #expect(steps.isRunning && !steps.isSmooth)
        #expect(!track { ($0 * 4).rounded(.down) / 4 }.isRunning)
    }

    @Test func `A painter that is late for less than a second is no fault, also at the start and at the end`() {
        for start in [0, 0.5, 2, 4.1] {
            let late = track { (start..<start + 0.9).contains($0) ? start : $0 }
            #expect(late.fault == nil, "late from \(start) s on")
        }
        // The first frame is old, and so are the last ones.
        #expect(track { $0 == 0 ? -0.5 : min($0, 4.5) }.fault == nil)
    }

    @Test func `No frame at all is a fault`() {
        #expect(!ClockTrack().isRunning)
    }

    @Test func `A late frame is no cut, a pause that is cut out is one`() {
        let late = track().readings.filter { !(2..<2.9).contains($0.pts) }
        #expect(ClockTrack(late).parts(betweenCutsOver: 0.4).count == 1)
        let cut = track { $0 < 2 ? $0 : $0 + 1.5 }
        #expect(!cut.isRunning)
        let parts = cut.parts(betweenCutsOver: 0.4)
        #expect(parts.map(\.readings.count) == [60, 90])
        #expect(parts.allSatisfy { $0.isRunning })
    }

    @Test func `Interruptions are times at which the clock stops, jumps, or has missing frames`() {
        #expect(track().interruptions(over: 0.5) == [])
        let still = track { $0 < 2 ? $0 : max(2, $0 - 1) }
        #expect(still.interruptions(over: 0.5).map { ($0 * 30).rounded() } == [60])
        let gap = track().readings.filter { !(2.01..<2.9).contains($0.pts) }
        #expect(ClockTrack(gap).interruptions(over: 0.5).map { ($0 * 30).rounded() } == [60])
        let cut = track { $0 < 2 ? $0 : $0 + 1.5 }
        #expect(cut.interruptions(over: 0.5).map { ($0 * 30).rounded() } == [59])
    }

    @Test(arguments: [0, 0.02, 0.3, 1, 2, -1, 3.5])
    func `Sound that is late or early is late or early by that much, whole seconds too`(delay: Double) throws {
        // Beeps at 102 s and at 103 s of the painted clock, heard later.
        let beeps = [102, 103].map { Beep(onset: Double($0 - 100) + delay, number: $0 % 8) }
        let delays = track(seconds: 10).soundDelays(beeps, now: 200_000_000_000)
        #expect(delays.count == 2)
        for found in delays { #expect(abs(found - delay) < 0.04, "\(found)") }
    }

    @Test func `A beep that cannot be read is not in time`() {
        #expect(track().soundDelays([Beep(onset: 2, number: nil)]) == [.infinity])
    }

    @Test func `Numbers are right after 49 days too`() throws {
        let milliseconds: Int64 = 1 << 32 + 100_000
        // The second of CLOCK_MONOTONIC that begins next.
        let second = milliseconds / 1000 + 1
        let readings = (0..<90).map { index in
            ClockTrack.Reading(
                pts: Double(index) / 30, milliseconds: UInt32(truncatingIfNeeded: milliseconds + Int64(index * 100 / 3))
            )
        }
        let beep = Beep(onset: Double(second * 1000 - milliseconds) / 1000, number: Int(second % 8))
        let delay = try #require(
            ClockTrack(readings).soundDelays([beep], now: milliseconds * 1_000_000 + 5_000_000_000).first)
        #expect(abs(delay) < 0.04, "\(delay)")
    }
}
