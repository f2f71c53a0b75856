import Media
import Session
import Testing

/// When a lost connection is tried again (DESIGN section 11).
struct RetryPolicyTests {
    @Test func `The first try comes after 2 s, each later wait is half as long again, and a minute is the longest`() {
        let policy = RetryPolicy()
        let waits = (0..<10).map { policy.delay(before: $0, chance: 0.5)?.seconds ?? 0 }
        let expected = [2, 3, 4.5, 6.75, 10.125, 15.1875, 22.78, 34.17, 51.26, 60]
        for (wait, seconds) in zip(waits, expected) { #expect(abs(wait - seconds) < 0.01) }
    }

    @Test func `Chance moves a wait by a fifth at most`() {
        let policy = RetryPolicy()
        #expect(abs((policy.delay(before: 0, chance: 0)?.seconds ?? 0) - 1.6) < 0.001)
        #expect(abs((policy.delay(before: 0, chance: 1)?.seconds ?? 0) - 2.4) < 0.001)
    }

    @Test func `After 20 tries there is none`() {
        #expect(RetryPolicy().delay(before: 19, chance: 0.5) != nil)
        #expect(RetryPolicy().delay(before: 20, chance: 0.5) == nil)
    }
}
