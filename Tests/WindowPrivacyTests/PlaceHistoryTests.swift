import Media
import Testing
import WindowPrivacy

/// Tests the positions that windows had between two findings.
@Suite struct PlaceHistoryTests {
    private func place(_ x: Int) -> PixelRect { PixelRect(x: x, y: 0, width: 10, height: 10) }

    @Test func `A position counts as new if it differs from the last one`() {
        var history = PlaceHistory()
        #expect(history.move(1, to: place(0)) && !history.move(1, to: place(0)) && history.move(1, to: place(5)))
        history.learn(1, at: place(9))
        #expect(history.last[1] == place(5))
        history.learn(2, at: place(9))
        #expect(history.last[2] == place(9))
        history.forget(1)
        #expect(history.last[1] == nil)
    }

    @Test func `The positions of a window are kept up to the next finding`() {
        var history = PlaceHistory()
        for x in [0, 5, 0] { history.pass(1, place(x)) }
        #expect(history.passed[1] == [place(0), place(5)])
        history.restart()
        #expect(history.passed.isEmpty && history.gone.isEmpty)
    }

    @Test func `Very many positions become the area that contains all of them`() {
        var history = PlaceHistory()
        let count = CoverTrail.maximumPlaces + 1
        for x in 0..<count { history.pass(1, place(x * 20)) }
        #expect(history.passed[1] == [PixelRect(x: 0, y: 0, width: (count - 1) * 20 + 10, height: 10)])
    }

    @Test func `Only a window that disappeared leaves its positions`() {
        var history = PlaceHistory()
        history.pass(1, place(0))
        history.pass(2, place(20))
        history.remove(1, isGone: true)
        history.remove(2, isGone: false)
        #expect(history.gone == [place(0)] && history.passed.isEmpty)
    }
}
