import Media
import Testing
import Upload

/// When the user is told that a disk will soon be full.
struct DiskSpaceWatchTests {
    /// Watches a recording that grows by `rate` bytes a second, on a disk with `room` bytes at the start. Returns each
    /// warning: its time, and the seconds that were left.
    private func told(rate: Int, room: Int, seconds: Int) -> [(time: Int, left: Int)] {
        var watch = DiskSpaceWatch()
        var told: [(time: Int, left: Int)] = []
        for second in 0...seconds {
            let time = MediaTime(milliseconds: Int64(second) * 1000)
            guard watch.isDue(at: time) else { continue }
            if let left = watch.look(at: time, byteCount: second * rate, free: room - second * rate) {
                told.append((second, Int(left.seconds.rounded())))
            }
        }
        return told
    }

    @Test func `It is told once below five minutes, and once below one`() {
        let told = told(rate: 500_000, room: 500_000 * 400, seconds: 390)
        #expect(told.map(\.time) == [105, 345] && told.map(\.left) == [295, 55])
    }

    @Test func `A disk that is nearly full is told after ten seconds at the latest, once`() {
        let told = told(rate: 500_000, room: 500_000 * 40, seconds: 35)
        #expect(told.map(\.time) == [5] && told.map(\.left) == [35])
    }

    @Test func `A large disk, and a recording that does not grow, are not told`() {
        #expect(told(rate: 500_000, room: 1 << 40, seconds: 600).isEmpty)
        #expect(told(rate: 0, room: 1000, seconds: 60).isEmpty)
    }

    @Test func `The rate is that of the last half minute`() {
        var watch = DiskSpaceWatch()
        var byteCount = 0
        var told: MediaTime?
        for second in stride(from: Int64(0), through: 120, by: 5) {
            // A still screen, and then a film.
            byteCount += second <= 60 ? 10_000 : 5_000_000
            let time = MediaTime(milliseconds: second * 1000)
            told = told ?? watch.look(at: time, byteCount: byteCount, free: 200_000_000)
        }
        #expect((told?.seconds).map { (200...300).contains($0) } == true, "\(String(describing: told))")
    }
}
