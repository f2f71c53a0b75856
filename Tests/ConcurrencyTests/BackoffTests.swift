import Concurrency
import Testing

/// When a lost connection is tried again.
struct BackoffTests {
    private let backoff = Backoff.liveDestination

    @Test func `The first wait is 2 s, each one is half as long again, and none is longer than a minute`() {
        let waits = (0..<10).compactMap { backoff.delay(before: $0)?.seconds }
        let expected = [2, 3, 4.5, 6.75, 10.125, 15.1875, 22.78, 34.17, 51.26, 60]
        #expect(waits.count == expected.count)
        for (wait, seconds) in zip(waits, expected) { #expect(abs(wait - seconds) < 0.01) }
    }

    @Test func `Jitter moves a wait by a fifth at most`() {
        #expect(abs((backoff.delay(before: 0, chance: 0)?.seconds ?? 0) - 1.6) < 0.001)
        #expect(abs((backoff.delay(before: 0, chance: 1)?.seconds ?? 0) - 2.4) < 0.001)
    }

    @Test func `There are at most 20 tries`() {
        #expect(backoff.delay(before: 19) != nil)
        #expect(backoff.delay(before: 20) == nil)
    }

    @Test func `Without a maximum there is always another try, with the longest wait`() {
        let endless = Backoff(first: .milliseconds(250), longest: .seconds(3))
        #expect(endless.delay(before: 0) == .milliseconds(250))
        #expect(endless.delay(before: 100_000) == .seconds(3))
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
