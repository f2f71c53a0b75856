import Media
import Pipeline
import Testing

struct IdleRestTests {
    /// The ticks at which the capture thread looks, if nothing changes but at the ticks of `changes`.
    private func looks(frameRate: Int64, seconds: Int64, changes: Set<Int64> = [0]) -> [Int64] {
        var rest = IdleRest(frameRate: frameRate)
        var pacer = FramePacer(mode: .variable)
        var (ticks, tick): ([Int64], Int64) = ([], 0)
        while tick < frameRate * seconds {
            ticks.append(tick)
            let time = MediaTime(value: tick, timescale: frameRate)
            _ = pacer.shows(at: time, isChanged: changes.contains(tick), isSettled: true)
            tick += rest.ticks(at: time, isChanged: changes.contains(tick), nextLook: pacer.nextLook) ?? 1
        }
        return ticks
    }

    @Test func `After a second without a change, the thread looks only when a frame is due`() {
        let ticks = looks(frameRate: 30, seconds: 3)
        #expect(ticks.prefix(31) == ArraySlice(0...30))
        // From the next frame on, which is due every 200 ms.
        #expect(ticks.filter { $0 >= 36 } == Array(stride(from: 36, to: 90, by: 6)))
    }

    @Test(arguments: [10, 15, 20, 23, 24, 25, 35, 50, 60, 144] as [Int64])
    func `Each frame that is due has a look at its tick`(frameRate: Int64) {
        let ticks = Set(looks(frameRate: frameRate, seconds: 5))
        var pacer = FramePacer(mode: .variable)
        let due = (0..<frameRate * 5).filter {
            pacer.shows(at: MediaTime(value: $0, timescale: frameRate), isChanged: $0 == 0, isSettled: true)
        }
        #expect(due.allSatisfy { ticks.contains($0) })
        #expect(ticks.count < frameRate * 5 || frameRate < 20)
    }

    @Test func `A change ends the rest, and without a next frame there is none`() {
        let ticks = looks(frameRate: 30, seconds: 4, changes: [0, 60])
        #expect(ticks.contains(60) && Set(ticks).isSuperset(of: 60...90))
        var rest = IdleRest(frameRate: 30)
        #expect(
            (0...90).allSatisfy {
                rest.ticks(at: MediaTime(value: $0, timescale: 30), isChanged: false, nextLook: nil) == nil
            })
    }
}
