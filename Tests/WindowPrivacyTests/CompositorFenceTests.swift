import Media
import Testing
import WindowPrivacy

/// Tests what is concluded from the drawing of a compositor.
@Suite struct CompositorFenceTests {
    private let pixel = PixelRect(x: 50, y: 60, width: 1, height: 1)
    private let elsewhere = PixelRect(x: 200, y: 60, width: 10, height: 10)
    private let whole = PixelRect(x: 0, y: 0, width: 640, height: 480)

    @Test func `two drawings in turn show that everything before the first request is drawn`() {
        var fence = CompositorFence()
        #expect(fence.canAsk(at: time(100)))
        fence.ask(pixel, at: time(100))
        #expect(!fence.canAsk(at: time(120)))
        #expect(fence.note(drawn: [elsewhere]) == nil && !fence.isHalfway)
        // This picture can have been begun before the request.
        #expect(fence.note(drawn: [whole]) == nil && fence.isHalfway)
        #expect(fence.canAsk(at: time(150)))
        fence.ask(pixel, at: time(150))
        #expect(fence.note(drawn: []) == nil)
        #expect(fence.note(drawn: [elsewhere, pixel]) == time(100))
        #expect(!fence.isHalfway && fence.canAsk(at: time(180)))
    }

    @Test func `drawing that nobody asked for shows nothing`() {
        var fence = CompositorFence()
        #expect(fence.note(drawn: [whole]) == nil && fence.note(drawn: [whole]) == nil)
        #expect(!fence.isHalfway)
    }

    @Test func `a request without an answer is followed by a new pair`() {
        var fence = CompositorFence()
        fence.ask(pixel, at: time(0))
        _ = fence.note(drawn: [pixel])
        fence.ask(pixel, at: time(30))
        #expect(!fence.canAsk(at: time(329)))
        #expect(fence.canAsk(at: time(330)) && fence.unanswered == 1)
        fence.ask(elsewhere, at: time(330))
        #expect(fence.unanswered == 2)
        #expect(fence.note(drawn: [elsewhere]) == nil && fence.unanswered == 0)
        fence.ask(elsewhere, at: time(360))
        #expect(fence.note(drawn: [elsewhere]) == time(330))
    }

    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(milliseconds: milliseconds) }
}
