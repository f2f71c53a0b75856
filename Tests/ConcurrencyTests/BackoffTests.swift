import Concurrency
import Testing

/// The waits between tries.
struct BackoffTests {
    private let backoff = ReconnectionPolicy.liveDestination.waits

    @Test func `The first wait is 2 s, each one is half as long again, and none is longer than a minute`() {
        let waits = (1...10).map { backoff.delay(afterFailures: $0).seconds }
        let expected = [2, 3, 4.5, 6.75, 10.125, 15.1875, 22.78, 34.17, 51.26, 60]
        for (wait, seconds) in zip(waits, expected) { #expect(abs(wait - seconds) < 0.01) }
    }

    @Test func `Jitter moves a wait by a fifth at most`() {
        #expect(abs(backoff.delay(afterFailures: 1, chance: 0).seconds - 1.6) < 0.001)
        #expect(abs(backoff.delay(afterFailures: 1, chance: 1).seconds - 2.4) < 0.001)
    }

    @Test func `However many tries failed, the wait is the longest one`() {
        let backoff = Backoff(first: .milliseconds(250), longest: .seconds(3))
        #expect(backoff.delay(afterFailures: 1) == .milliseconds(250))
        #expect(backoff.delay(afterFailures: 100_000) == .seconds(3))
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
