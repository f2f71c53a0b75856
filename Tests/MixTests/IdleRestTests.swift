import Media
import Mix
import Testing

struct IdleRestTests {
    @Test(arguments: [(30, 3), (60, 6), (25, 2)] as [(Int64, Int64)])
    func `After a second without a change, ticks are 100 ms apart`(frameRate: Int64, ticks: Int64) {
        var rest = IdleRest(frameRate: frameRate)
        let results = (0...frameRate * 2).map { rest.ticks(at: MediaTime(value: $0, timescale: frameRate), isIdle: true) }
        #expect(results.prefix(Int(frameRate)).allSatisfy { $0 == nil })
        #expect(results.dropFirst(Int(frameRate)).allSatisfy { $0 == ticks })
    }

    @Test func `A change ends the rest`() {
        var rest = IdleRest(frameRate: 30)
        for tick in 0...60 { _ = rest.ticks(at: MediaTime(value: Int64(tick), timescale: 30), isIdle: true) }
        let results = (61...100).map { rest.ticks(at: MediaTime(value: Int64($0), timescale: 30), isIdle: $0 != 61) }
        #expect(results.prefix(31).allSatisfy { $0 == nil } && results.last == 3)
    }

    @Test func `A rate of less than 20 has no rest`() {
        var rest = IdleRest(frameRate: 15)
        let results = (0..<60).map { rest.ticks(at: MediaTime(value: $0, timescale: 15), isIdle: true) }
        #expect(results.allSatisfy { $0 == nil })
    }
}
