import Capture
import Media
import Testing

@Suite struct RefreshScheduleTests {
    private let size = PixelSize(width: 64, height: 200)

    @Test(arguments: [1, 5, 30, 60, 144] as [Int64]) func `every row is looked at once in each round, at any rate`(
        rate: Int64
    ) {
        var schedule = RefreshSchedule()
        let beforeTheFirstLook = schedule.takePart(of: size, at: .zero)
        #expect(schedule.needsWhole && beforeTheFirstLook == nil)
        schedule.noteWhole(at: .zero)
        var rounds: [[PixelRect]] = []
        for tick in 1...rate * 20 {
            let now = MediaTime(value: tick, timescale: rate)
            guard let part = schedule.takePart(of: size, at: now) else { continue }
            if part.y == 0 { rounds.append([]) }
            rounds[rounds.count - 1].append(part)
            // A second look in one tick takes nothing.
            let second = schedule.takePart(of: size, at: now)
            #expect(second == nil)
            #expect(now >= MediaTime(milliseconds: 5000 * Int64(rounds.count)))
        }
        #expect(rounds.count >= 3)
        for parts in rounds.dropLast() {
            #expect(
                parts.reduce(0) { $0 + $1.height } == 200
                    && zip(parts, parts.dropFirst()).allSatisfy { $0.maxY == $1.y })
            #expect(parts.count == (rate == 1 ? 2 : rate == 5 ? 4 : 16))
        }
    }

    @Test func `a look at the whole picture ends a round`() {
        var schedule = RefreshSchedule()
        func take(at milliseconds: Int64) -> PixelRect? {
            schedule.takePart(of: size, at: MediaTime(milliseconds: milliseconds))
        }
        schedule.noteWhole(at: .zero)
        #expect(take(at: 5000) != nil)
        schedule.requestWhole()
        #expect(schedule.needsWhole && take(at: 5100) == nil)
        schedule.noteWhole(at: MediaTime(milliseconds: 5100))
        #expect(take(at: 10_099) == nil)
        #expect(take(at: 10_100) == PixelRect(x: 0, y: 0, width: 64, height: 12))
    }
}
