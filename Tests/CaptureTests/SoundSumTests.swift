import Media
import PulseCapture
import Testing

/// Tests adding up the streams of one application piece by piece.
struct SoundSumTests {
    private let later = MediaTime(milliseconds: 10_000)

    @Test func `a single stream passes immediately with its times`() {
        var sum = SoundSum()
        for index in 0..<3 {
            let time = MediaTime(milliseconds: 1000 + 20 * Int64(index))
            sum.add(sound(0.25), at: time, from: 7)
            let piece = sum.take(now: time)
            #expect(piece?.sound.samples == [Float](repeating: 0.25, count: 1920))
            #expect(piece?.time.milliseconds == time.milliseconds)
            #expect(sum.take(now: later) == nil)
        }
    }

    @Test func `two streams are added, and jitter of their times is ignored`() {
        var sum = SoundSum()
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1000), from: 7)
        _ = sum.take(now: MediaTime(milliseconds: 1020))
        for index in 1..<20 {
            let time = 1000 + 20 * Int64(index)
            sum.add(sound(0.25), at: MediaTime(milliseconds: time), from: 7)
            sum.add(sound(0.5), at: MediaTime(milliseconds: time + Int64(index % 3) - 1), from: 8)
            let piece = sum.take(now: MediaTime(milliseconds: time + 20))
            // The second stream is positioned by the time of its first piece, which is at the start of the timeline.
            #expect(piece?.sound.samples.allSatisfy { $0 == 0.75 } == true)
            #expect(piece?.sound.frameCount == 960)
        }
    }

    @Test func `a stopped stream delays the sum by at most 60 ms, and a removed stream not at all`() {
        var sum = SoundSum()
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1000), from: 7)
        sum.add(sound(0.5), at: MediaTime(milliseconds: 1000), from: 8)
        #expect(sum.take(now: MediaTime(milliseconds: 1020))?.sound.samples.first == 0.75)
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1020), from: 7)
        #expect(sum.take(now: MediaTime(milliseconds: 1040)) == nil)
        #expect(sum.take(now: MediaTime(milliseconds: 1079)) == nil)
        #expect(sum.take(now: MediaTime(milliseconds: 1080))?.sound.samples.first == 0.25)
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1040), from: 7)
        sum.remove(8)
        #expect(sum.take(now: MediaTime(milliseconds: 1060))?.sound.samples.first == 0.25)
    }

    @Test func `a player that is paused delays the sum for a moment only`() {
        var sum = SoundSum()
        var delays: [Int64] = []
        for index in 0..<30 {
            let time = 1000 + 20 * Int64(index)
            sum.add(sound(0.25), at: MediaTime(milliseconds: time), from: 7)
            if index == 0 { sum.add(sound(0.5), at: MediaTime(milliseconds: time), from: 8) }
            var now = time + 20
            while sum.take(now: MediaTime(milliseconds: now)) == nil, now < time + 200 { now += 1 }
            delays.append(now - time - 20)
        }
        #expect(delays[1] > 0 && delays.suffix(15).allSatisfy { $0 == 0 }, "\(delays)")
    }

    @Test func `while the first player is paused, the times follow the clock of another one`() throws {
        var sum = SoundSum()
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1000), from: 7)
        for index in 0..<2000 {
            // The clock of the other player is slow by 0.2 percent: after 25 seconds, that is 50 ms.
            let time = MediaTime(nanoseconds: 1_000_000_000 + 20_040_000 * Int64(index))
            sum.add(sound(0.5), at: time, from: 8)
            let taken = sum.take(now: time + MediaTime(milliseconds: 200))
            let piece = try #require(taken)
            #expect(piece.sound.frameCount == 960)
            try #require(
                abs((piece.time - time).nanoseconds) < 5_000_000, "piece \(index): \(piece.time) instead of \(time)")
        }
    }

    @Test func `after silence, the sound has its new time`() {
        var sum = SoundSum()
        sum.add(sound(0.25), at: MediaTime(milliseconds: 1000), from: 7)
        _ = sum.take(now: MediaTime(milliseconds: 1020))
        sum.add(sound(0.25), at: MediaTime(milliseconds: 5000), from: 7)
        let piece = sum.take(now: MediaTime(milliseconds: 5020))
        #expect(piece?.time.milliseconds == 5000)
        #expect(piece?.sound.frameCount == 960)
    }

    /// Returns 20 ms of a constant value in both channels.
    private func sound(_ value: Float) -> Sound {
        Sound(format: .broadcast, samples: [Float](repeating: value, count: 1920))
    }
}
