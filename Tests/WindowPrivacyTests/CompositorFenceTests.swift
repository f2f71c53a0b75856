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
        expect(fence: &fence, canAsk: true, at: 100, misses: 0)
        fence.ask(pixel, at: time(100))
        expect(fence: &fence, canAsk: false, at: 120, misses: 0)
        #expect(fence.note(drawn: [elsewhere]) == nil && !fence.isHalfway)
        // This picture can have been begun before the request.
        #expect(fence.note(drawn: [whole]) == nil && fence.isHalfway)
        expect(fence: &fence, canAsk: true, at: 150, misses: 0)
        fence.ask(pixel, at: time(150))
        #expect(fence.note(drawn: []) == nil)
        #expect(fence.note(drawn: [elsewhere, pixel]) == time(100))
        #expect(!fence.isHalfway)
        expect(fence: &fence, canAsk: true, at: 180, misses: 0)
    }

    @Test func `drawing that nobody asked for shows nothing`() {
        var fence = CompositorFence()
        #expect(fence.note(drawn: [whole]) == nil && fence.note(drawn: [whole]) == nil)
        #expect(!fence.isHalfway)
    }

    @Test func `without an answer, another window is asked, which is kept, and a late answer counts`() {
        var fence = CompositorFence()
        fence.ask(pixel, at: time(0))
        expect(fence: &fence, canAsk: false, at: 299, misses: 0)
        expect(fence: &fence, canAsk: true, at: 300, misses: 1)
        fence.ask(elsewhere, at: time(300))
        #expect(fence.note(drawn: [elsewhere]) == nil && fence.isHalfway && fence.misses == 1)
        fence.ask(elsewhere, at: time(330))
        expect(fence: &fence, canAsk: true, at: 630, misses: 2)
        fence.ask(pixel, at: time(630))
        #expect(fence.note(drawn: [elsewhere]) == time(0) && fence.misses == 2)
    }

    private func expect(fence: inout CompositorFence, canAsk: Bool, at now: Int64, misses: Int) {
        let can = fence.canAsk(at: time(now))
        #expect(can == canAsk && fence.misses == misses)
    }

    private func time(_ milliseconds: Int64) -> MediaTime { MediaTime(milliseconds: milliseconds) }
}
