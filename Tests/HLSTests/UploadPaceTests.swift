import HLSExtension
import Media
import Testing

struct UploadPaceTests {
    /// 500 kB of four seconds: 1000 kbit/s.
    private func upload(_ pace: inout UploadPace, in seconds: Double, isLast: Bool = true) {
        pace.uploaded(
            byteCount: 500_000, duration: MediaTime(milliseconds: 4000), in: MediaTime(seconds: seconds), isLast: isLast
        )
    }

    @Test func `There is no ceiling while uploads need less than the duration of their media`() {
        var pace = UploadPace()
        for seconds in [0.1, 1, 3.5] { upload(&pace, in: seconds) }
        #expect(pace.ceiling == nil)
    }

    @Test func `The ceiling is 80 percent of what passed if an upload needs about as long as its media lasts`() {
        var pace = UploadPace()
        upload(&pace, in: 8)
        // 4000 kbit in 8 s are 500 kbit/s.
        #expect(pace.ceiling == 400)
        var waiting = UploadPace()
        upload(&waiting, in: 2, isLast: false)
        #expect(waiting.ceiling == 1600)
    }

    @Test
    func `The ceiling rises by a quarter with each upload that needs less than half of that time, and stays otherwise`()
    {
        var pace = UploadPace()
        upload(&pace, in: 8)
        upload(&pace, in: 3)
        #expect(pace.ceiling == 400)
        upload(&pace, in: 1)
        #expect(pace.ceiling == 500)
    }

    @Test func `An upload that is late lowers the ceiling before it is complete`() {
        var pace = UploadPace()
        pace.isLate(byteCount: 500_000, duration: MediaTime(milliseconds: 4000), in: MediaTime(milliseconds: 3000))
        #expect(pace.ceiling == nil)
        pace.isLate(byteCount: 500_000, duration: MediaTime(milliseconds: 4000), in: MediaTime(milliseconds: 10_000))
        #expect(pace.ceiling == 320)
    }
}
