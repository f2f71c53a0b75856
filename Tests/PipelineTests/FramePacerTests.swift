import Media
import Pipeline
import Testing

@Suite struct FramePacerTests {
    @Test func `constant pacing shows every tick`() {
        var pacer = FramePacer(mode: .constant)
        let shown = (0..<90).map { pacer.shows(at: tick($0), isChanged: $0 == 0, isSettled: true) }
        #expect(shown.allSatisfy { $0 })
    }

    @Test func `variable pacing shows a settled picture every 200 ms`() {
        var pacer = FramePacer(mode: .variable)
        let shown = (0..<30).filter { pacer.shows(at: tick($0), isChanged: $0 == 0, isSettled: true) }
        #expect(shown == [0, 6, 12, 18, 24])
    }

    @Test func `variable pacing shows every change, and counts the 200 ms from it`() {
        var pacer = FramePacer(mode: .variable)
        let shown = (0..<20).filter { pacer.shows(at: tick($0), isChanged: [0, 4, 5].contains($0), isSettled: true) }
        #expect(shown == [0, 4, 5, 11, 17])
    }

    @Test func `variable pacing continues until the picture has settled`() {
        var pacer = FramePacer(mode: .variable)
        let shown = (0..<12).filter { pacer.shows(at: tick($0), isChanged: $0 == 0, isSettled: $0 >= 4) }
        #expect(shown == [0, 1, 2, 3, 9])
    }

    @Test func `nothing is shown before the first picture`() {
        var pacer = FramePacer(mode: .variable)
        let shown = (0..<40).filter { pacer.shows(at: tick($0), isChanged: $0 == 31, isSettled: true) }
        #expect(shown == [31, 37])
    }

    @Test(arguments: [FramePacer.Mode.constant, .variable]) func `the last tick has a frame`(mode: FramePacer.Mode) {
        var pacer = FramePacer(mode: mode)
        let isFirst = pacer.ends(at: tick(0))
        for number in 0..<9 { _ = pacer.shows(at: tick(number), isChanged: number == 0, isSettled: true) }
        let (isLast, isAgain) = (pacer.ends(at: tick(8)), pacer.ends(at: tick(8)))
        #expect(!isFirst && isLast == (mode == .variable) && !isAgain)
    }

    /// The time of a tick at 30 frames a second.
    private func tick(_ number: Int) -> MediaTime { MediaTime(value: Int64(number), timescale: 30) }
}
