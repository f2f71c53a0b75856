import Mix
import Testing

@Suite struct DriftEstimatorTests {
    @Test func `a source that is on time is not stretched`() {
        var drift = DriftEstimator()
        let stretches = (0..<1000).map { _ in drift.stretch(error: 0, duration: 0.02) }
        #expect(stretches.allSatisfy { $0 == 0 })
        #expect(drift.partsPerMillion == 0)
    }

    @Test func `sound that lies too early is stretched, too late squeezed`() {
        var early = DriftEstimator()
        let longer = early.stretch(error: 0.01, duration: 0.02)
        #expect(longer > 0.000_9)
        #expect(early.partsPerMillion > 0)
        var late = DriftEstimator()
        let shorter = late.stretch(error: -0.01, duration: 0.02)
        #expect(shorter < -0.000_9)
        #expect(late.partsPerMillion < 0)
    }

    @Test(arguments: [-200.0, -30, 30, 200, 1000]) func `the lasting drift is found and its error goes away`(partsPerMillion: Double) {
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

    @Test func `times that jitter by 5 ms are no drift`() {
        var random = SplitMix64(state: 1)
        var drift = DriftEstimator()
        var error = 0.0
        var worst = 0.0
        for piece in 0..<30_000 {
            let stretch = drift.stretch(error: error + Double.random(in: -0.005...0.005, using: &random), duration: 0.02)
            error -= stretch * 0.02
            worst = max(worst, abs(error))
            if piece % 100 == 99, abs(drift.partsPerMillion) > 100 {
                Issue.record("a drift of \(drift.partsPerMillion) ppm after \(piece) pieces")
                return
            }
        }
        #expect(worst < 0.001, "\(worst) s")
    }

    @Test func `no more than five parts of a thousand are stretched`() {
        var drift = DriftEstimator()
        let stretches = (0..<10_000).map { _ in drift.stretch(error: 0.05, duration: 0.02) }
        #expect(stretches.allSatisfy { $0 <= 0.005 })
        #expect(drift.partsPerMillion <= 5000)
    }
}
