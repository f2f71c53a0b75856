import Media
import TestPatterns
import Testing

@Suite struct MediaTimeTests {
    @Test(
        arguments: [
            (0, 48_000, 0), (1, 48_000, 20_833), (2, 48_000, 41_667), (1024, 48_000, 21_333_333),
            (48_000, 48_000, 1_000_000_000),
            (1, 90_000, 11_111), (1, 30, 33_333_333), (2, 30, 66_666_667), (1, 3, 333_333_333), (2, 3, 666_666_667),
        ] as [(Int64, Int64, Int64)])
    func `a tick is converted to the nearest nanosecond`(value: Int64, timescale: Int64, nanoseconds: Int64) {
        #expect(MediaTime(value: value, timescale: timescale).nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (-1024, 48_000, -21_333_333), (-1, 48_000, -20_833), (-2, 48_000, -41_667), (-1, 3, -333_333_333),
            (-2, 3, -666_666_667),
            (-48_001, 48_000, -1_000_020_833),
        ] as [(Int64, Int64, Int64)])
    func `a negative tick is rounded symmetrically`(value: Int64, timescale: Int64, nanoseconds: Int64) {
        #expect(MediaTime(value: value, timescale: timescale).nanoseconds == nanoseconds)
    }

    @Test(
        arguments: [
            (0, 1000, 0), (499_999, 1000, 0), (500_000, 1000, 1), (1_499_999, 1000, 1), (1_500_000, 1000, 2),
            (999_999_999, 1000, 1000),
            (-499_999, 1000, 0), (-500_000, 1000, -1), (-1_500_000, 1000, -2), (-21_333_333, 48_000, -1024),
            (33_333_333, 90_000, 3000),
            (33_333_333, 30, 1),
        ] as [(Int64, Int64, Int64)])
    func `a time is converted to the nearest tick, and half a tick is rounded away from zero`(
        nanoseconds: Int64, timescale: Int64, value: Int64
    ) {
        #expect(MediaTime(nanoseconds: nanoseconds).value(timescale: timescale) == value)
    }

    @Test func `milliseconds are rounded to the nearest integer`() {
        #expect(MediaTime(nanoseconds: 1_499_999).milliseconds == 1)
        #expect(MediaTime(nanoseconds: 1_500_000).milliseconds == 2)
        #expect(MediaTime(nanoseconds: -1_500_000).milliseconds == -2)
        #expect(MediaTime(milliseconds: -80).nanoseconds == -80_000_000)
    }

    @Test func `seconds that no session lasts are limited`() {
        #expect(MediaTime(seconds: .nan) == .zero)
        for seconds in [Double.infinity, 1e300, 3e9] {
            #expect(MediaTime(seconds: seconds).nanoseconds == 3_000_000_000_000_000_000)
        }
        #expect(MediaTime(seconds: -.infinity).nanoseconds == -3_000_000_000_000_000_000)
    }

    @Test func `seconds are rounded to the nearest nanosecond`() {
        #expect(MediaTime(seconds: 0.1).nanoseconds == 100_000_000)
        #expect(MediaTime(seconds: 1.000_000_000_6).nanoseconds == 1_000_000_001)
        #expect(MediaTime(seconds: -0.000_000_000_6).nanoseconds == -1)
        #expect(MediaTime(nanoseconds: 1_500_000_000).seconds == 1.5)
    }

    @Test func `a broadcast of many days does not overflow or lose a tick`() {
        // 300 days at 48 and 90 kHz, and 2^32 milliseconds, after which RTMP timestamps wrap.
        #expect(MediaTime(value: 1_244_160_000_001, timescale: 48_000).nanoseconds == 25_920_000_000_020_833)
        #expect(MediaTime(value: 2_332_800_000_001, timescale: 90_000).nanoseconds == 25_920_000_000_011_111)
        #expect(MediaTime(nanoseconds: 25_920_000_000_020_833).value(timescale: 48_000) == 1_244_160_000_001)
        #expect(MediaTime(nanoseconds: 25_920_000_000_011_111).value(timescale: 90_000) == 2_332_800_000_001)
        #expect(MediaTime(nanoseconds: 4_294_967_296_000_000).milliseconds == 4_294_967_296)
        #expect(MediaTime(milliseconds: 4_294_967_297).milliseconds == 4_294_967_297)
    }

    @Test(arguments: [30, 1000, 44_100, 48_000, 90_000] as [Int64])
    func `every tick survives a conversion to nanoseconds and back`(timescale: Int64) {
        var random = SplitMix64(state: 1)
        let days30 = 2_592_000 * timescale
        for _ in 0..<20_000 {
            let value = Int64.random(in: -timescale...days30, using: &random)
            guard MediaTime(value: value, timescale: timescale).value(timescale: timescale) != value else { continue }
            Issue.record("tick \(value) of \(timescale) a second comes back as another")
            return
        }
    }

    @Test(arguments: [1, 25, 240, 1000, 90_000] as [Int64])
    func `the last tick before a time is found in sessions of a hundred years`(rate: Int64) {
        let century: Int64 = 100 * 365 * 86400
        #expect(MediaTime(nanoseconds: century * 1_000_000_000).lastTick(timescale: rate) == century * rate)
        #expect(MediaTime(nanoseconds: century * 1_000_000_000 - 1).lastTick(timescale: rate) == century * rate - 1)
        #expect(MediaTime(nanoseconds: -1).lastTick(timescale: rate) == -1)
        #expect(MediaTime.zero.lastTick(timescale: rate) == 0)
    }

    @Test func `times are added, subtracted and compared by their nanoseconds`() {
        var time = MediaTime(milliseconds: 40) + MediaTime(nanoseconds: 5)
        #expect(time.nanoseconds == 40_000_005)
        time += MediaTime(nanoseconds: 5)
        #expect(time.nanoseconds == 40_000_010)
        #expect((MediaTime.zero - time).nanoseconds == -40_000_010)
        #expect(MediaTime(nanoseconds: -1) < .zero)
        #expect(MediaTime(nanoseconds: 1) > .zero)
        #expect(MediaTime(milliseconds: 1) == MediaTime(nanoseconds: 1_000_000))
    }
}
