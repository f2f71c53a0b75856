import Mix
import TestPatterns
import Testing

@Suite struct LimiterTests {
    @Test(arguments: [1, 2, 3] as [UInt64]) func `no sample exceeds the ceiling`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var limiter = Limiter(sampleRate: 48_000)
        for _ in 0..<50 {
            let loudness = Float.random(in: 0.1...8, using: &random)
            var samples = (0..<2048).map { _ in Float.random(in: -loudness...loudness, using: &random) }
            limiter.process(&samples)
            let peak = samples.reduce(0) { max($0, abs($1)) }
            // The factor ceiling / peak can be rounded up by one step.
            guard peak > Float(0.966).nextUp else { continue }
            Issue.record("a peak of \(peak)")
            return
        }
    }

    @Test func `quiet sound does not change`() {
        var random = SplitMix64(state: 4)
        var limiter = Limiter(sampleRate: 48_000)
        let samples = (0..<96_000).map { _ in Float.random(in: -0.966...0.966, using: &random) }
        var limited = samples
        limiter.process(&limited)
        let isEqual = limited == samples
        #expect(isEqual)
    }

    @Test func `a peak in one channel reduces both, which preserves the stereo image`() {
        var limiter = Limiter(sampleRate: 48_000)
        var samples: [Float] = [1.932, 0.5]
        limiter.process(&samples)
        #expect(abs(samples[0] - 0.966) < 0.000_01)
        #expect(abs(samples[1] - 0.25) < 0.000_01)
    }

    @Test func `the gain recovers by two thirds after 150 ms, and completely after a second`() {
        var limiter = Limiter(sampleRate: 48_000)
        var samples: [Float] = [1.932, 1.932] + [Float](repeating: 0.5, count: 96_000)
        limiter.process(&samples)
        #expect(abs(samples[2] - 0.25) < 0.001)
        #expect(abs(samples[2 * 7200] / 0.5 - 0.816) < 0.01)
        #expect(abs(samples[95_000] - 0.5) < 0.001)
    }

    @Test func `silence remains silent`() {
        var limiter = Limiter(sampleRate: 48_000)
        var samples = [Float](repeating: 0, count: 2048)
        limiter.process(&samples)
        #expect(samples.allSatisfy { $0 == 0 })
    }
}
