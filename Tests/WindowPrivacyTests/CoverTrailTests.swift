import Media
import Testing
import WindowPrivacy

/// Tests the current and previous positions of hidden windows.
@Suite struct CoverTrailTests {
    private let here = PixelRect(x: 10, y: 10, width: 100, height: 80)
    private let there = PixelRect(x: 300, y: 200, width: 100, height: 80)

    @Test func `the previous area of a moved window remains covered for a while`() {
        var trail = CoverTrail()
        update(&trail, [1: here], at: 0)
        #expect(trail.rectangles == [here] && trail.nextEnd == nil)
        update(&trail, [1: there], at: 1000)
        #expect(trail.rectangles == [there, here])
        #expect(trail.nextEnd == MediaTime(milliseconds: 1250))
        update(&trail, [1: there], at: 1249)
        #expect(trail.rectangles == [there, here])
        update(&trail, [1: there], at: 1250)
        #expect(trail.rectangles == [there])
    }

    @Test func `the area of a closed window remains covered for a while`() {
        var trail = CoverTrail()
        update(&trail, [1: here, 2: there], at: 0)
        update(&trail, [2: there], at: 100)
        #expect(trail.rectangles == [there, here])
        update(&trail, [2: there], at: 400)
        #expect(trail.rectangles == [there])
        #expect(!trail.isEmpty)
    }

    @Test func `a window that is no longer hidden is shown immediately`() {
        var trail = CoverTrail()
        update(&trail, [1: here], at: 0)
        trail.update([:], passed: [], released: [1], at: MediaTime(milliseconds: 10), for: MediaTime(milliseconds: 250))
        #expect(trail.isEmpty && trail.rectangles.isEmpty)
    }

    @Test func `an area between two updates is covered too, and again if it is passed again`() {
        var trail = CoverTrail()
        trail.update([1: here], passed: [there], released: [], at: .zero, for: MediaTime(milliseconds: 250))
        #expect(trail.rectangles == [here, there])
        trail.update(
            [1: here], passed: [there], released: [], at: MediaTime(milliseconds: 200),
            for: MediaTime(milliseconds: 250))
        #expect(trail.nextEnd == MediaTime(milliseconds: 450))
    }

    @Test func `many areas become their bounding box`() {
        var trail = CoverTrail()
        for step in 0..<40 { update(&trail, [1: here.offsetBy(x: step * 3, y: step)], at: step) }
        #expect(trail.rectangles.count <= 18)
        for step in 0..<40 {
            let place = here.offsetBy(x: step * 3, y: step)
            #expect(trail.rectangles.contains { $0.contains(place) })
        }
    }

    @Test func `with a longer delay, an area remains covered until something is drawn there, plus the duration`() {
        var trail = CoverTrail()
        let (delay, undrawnDelay) = (MediaTime(milliseconds: 1000), MediaTime(milliseconds: 5000))
        func look(_ windows: [UInt: PixelRect], at milliseconds: Int64) {
            trail.update(
                windows, passed: [], released: [], at: MediaTime(milliseconds: milliseconds), for: delay,
                undrawnFor: undrawnDelay)
        }
        look([1: here], at: 0)
        look([:], at: 100)
        look([:], at: 2000)
        #expect(trail.rectangles == [here])
        trail.noteDrawing([there], at: MediaTime(milliseconds: 2100))
        #expect(trail.nextEnd == MediaTime(milliseconds: 5100))
        trail.noteDrawing([here], at: MediaTime(milliseconds: 2500))
        #expect(trail.nextEnd == MediaTime(milliseconds: 3500))
        // Later drawing there does not count, because it can be continuous, for example a video.
        trail.noteDrawing([here], at: MediaTime(milliseconds: 3000))
        look([:], at: 3500)
        #expect(trail.isEmpty)
    }

    @Test func `drawing that can be the window's own does not count`() {
        let (delay, undrawnDelay) = (MediaTime(milliseconds: 250), MediaTime(milliseconds: 5000))
        for isRestless in [true, false] {
            var trail = CoverTrail()
            trail.update([1: here], passed: [], released: [], at: .zero, for: delay, undrawnFor: undrawnDelay)
            trail.update(
                [:], passed: [], released: [], drawn: [here], restless: isRestless ? [1] : [],
                at: MediaTime(milliseconds: 100), for: delay,
                undrawnFor: undrawnDelay)
            #expect(trail.nextEnd == MediaTime(milliseconds: isRestless ? 5100 : 350))
            trail.noteDrawing([here], at: MediaTime(milliseconds: 200))
            #expect(trail.nextEnd == MediaTime(milliseconds: isRestless ? 450 : 350))
        }
    }

    @Test func `with a compositor, an area remains covered until it has drawn the departure and what follows it`() {
        var trail = CoverTrail()
        func time(_ milliseconds: Int64) -> MediaTime { MediaTime(milliseconds: milliseconds) }
        func look(_ windows: [UInt: PixelRect], at milliseconds: Int64) {
            trail.update(
                windows, passed: [], released: [], at: time(milliseconds), for: time(1000), undrawnFor: time(5000),
                isComposited: true)
        }
        look([1: here], at: 0)
        #expect(!trail.awaitsCompositor(at: time(0)))
        look([1: there], at: 100)
        // It drew something: that can still be the window.
        trail.noteDrawing([here], at: time(110))
        #expect(trail.awaitsCompositor(at: time(120)) && trail.nextEnd == time(5100))
        // What it has drawn is older than the departure.
        trail.noteCompositor(hasDrawn: time(90), at: time(130))
        #expect(trail.awaitsCompositor(at: time(130)))
        trail.noteCompositor(hasDrawn: time(120), at: time(2000))
        // The window can be fading out, so the area remains covered for a second from now on.
        #expect(!trail.awaitsCompositor(at: time(2999)) && trail.awaitsCompositor(at: time(3000)))
        trail.noteCompositor(hasDrawn: time(2990), at: time(3010))
        #expect(trail.nextEnd == time(5100))
        trail.noteCompositor(hasDrawn: time(3010), at: time(3050))
        #expect(trail.nextEnd == time(3000) && !trail.awaitsCompositor(at: time(3050)))
        look([1: there], at: 3050)
        #expect(trail.rectangles == [there])
    }

    @Test func `a compositor that does not answer uncovers an area after the longest time`() {
        var trail = CoverTrail()
        for (windows, milliseconds) in [([1: here], 0), ([:], 100), ([:], 5099)] as [([UInt: PixelRect], Int64)] {
            trail.update(
                windows, passed: [], released: [], at: MediaTime(milliseconds: milliseconds),
                for: MediaTime(milliseconds: 1000), undrawnFor: MediaTime(milliseconds: 5000), isComposited: true)
            trail.noteDrawing([here], at: MediaTime(milliseconds: milliseconds))
        }
        #expect(trail.rectangles == [here])
        trail.update([:], passed: [], released: [], at: MediaTime(milliseconds: 5100), for: .zero)
        #expect(trail.isEmpty)
    }

    private func update(_ trail: inout CoverTrail, _ windows: [UInt: PixelRect], at milliseconds: Int) {
        trail.update(
            windows, passed: [], released: [], at: MediaTime(milliseconds: Int64(milliseconds)),
            for: MediaTime(milliseconds: 250))
    }
}
