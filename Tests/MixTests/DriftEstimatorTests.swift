import Mix
import TestPatterns
import Testing

@Suite struct DriftEstimatorTests {
    @Test func `a source without drift is not stretched`() {
        var drift = DriftEstimator()
        let stretches = (0..<1000).map { _ in drift.stretch(error: 0, duration: 0.02) }
        #expect(stretches.allSatisfy { $0 == 0 })
        #expect(drift.partsPerMillion == 0)
    }

    @Test func `sound that is too early is stretched, and sound that is too late is compressed`() {
        var early = DriftEstimator()
        let longer = early.stretch(error: 0.01, duration: 0.02)
        #expect(longer > 0.000_9)
        #expect(early.partsPerMillion > 0)
        var late = DriftEstimator()
        let shorter = late.stretch(error: -0.01, duration: 0.02)
        #expect(shorter < -0.000_9)
        #expect(late.partsPerMillion < 0)
    }

    @Test(arguments: [-200.0, -30, 30, 200, 1000]) func `the estimator finds the long-term drift and removes the error`(
        partsPerMillion: Double
    ) {
        var drift = DriftEstimator()
        var error = 0.0
        var worst = 0.0
        for piece in 0..<30_000 {
            let stretch = drift.stretch(error: error, duration: 0.02)
            error += (partsPerMillion / 1e6 - stretch) * 0.02
            if piece > 5000 { worst = max(worst, abs(error)) }
        }
        #expect(abs(drift.partsPerMillion - partsPerMillion) < 1)
        #expect(worst < 0.001, "\(worst) s")
    }

    @Test func `jitter of 5 ms is not treated as drift`() {
        var random = SplitMix64(state: 1)
        var drift = DriftEstimator()
        var error = 0.0
        var worst = 0.0
        for piece in 0..<30_000 {
            let stretch = drift.stretch(
                error: error + Double.random(in: -0.005...0.005, using: &random), duration: 0.02)
            error -= stretch * 0.02
            worst = max(worst, abs(error))
            if piece % 100 == 99, abs(drift.partsPerMillion) > 100 {
                Issue.record("a drift of \(drift.partsPerMillion) ppm after \(piece) pieces")
                return
            }
        }
        #expect(worst < 0.001, "\(worst) s")
    }

    @Test func `the stretch is at most five parts in a thousand`() {
        var drift = DriftEstimator()
        let stretches = (0..<10_000).map { _ in drift.stretch(error: 0.05, duration: 0.02) }
        #expect(stretches.allSatisfy { $0 <= 0.005 })
        #expect(drift.partsPerMillion <= 5000)
    }
}
