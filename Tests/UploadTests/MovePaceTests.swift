import Testing
import Upload

struct MovePaceTests {
    /// Moves as soon as it may, and returns the times of the moves in seconds, and those at which the user is notified.
    private func moves(_ pace: inout MovePace, from start: ContinuousClock.Instant, seconds: Int) -> (
        all: [Int], told: [Int]
    ) {
        var all: [Int] = []
        var told: [Int] = []
        for second in 0..<seconds {
            let now = start + .seconds(second)
            guard pace.allows(at: now) else { continue }
            if pace.begin(at: now) { told.append(second) }
            all.append(second)
        }
        return (all, told)
    }

    @Test func `A server that asks without end is followed less and less often, and the user is told once`() {
        var pace = MovePace()
        let (all, told) = moves(&pace, from: .now, seconds: 600)
        #expect(all.prefix(5) == [0, 2, 5, 10, 17])
        #expect(zip(all, all.dropFirst()).suffix(3).allSatisfy { $1 - $0 == 60 })
        #expect(told == [10])
    }

    @Test func `A request is obeyed at once after a minute without one`() {
        var pace = MovePace()
        let start = ContinuousClock.now
        let (all, _) = moves(&pace, from: start, seconds: 30)
        let later = start + .seconds(all.last! + 200)
        #expect(pace.allows(at: later) && !pace.begin(at: later))
        #expect(!pace.allows(at: later + .seconds(1)) && pace.allows(at: later + .seconds(2)))
    }
}
