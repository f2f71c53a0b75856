import Media
import Testing
import WindowPrivacy

/// Tests where the title of a window is on the screen.
@Suite struct TitleBarTests {
    private let screen = PixelSize(width: 1000, height: 800)
    private let content = PixelRect(x: 110, y: 130, width: 400, height: 300)

    @Test func `The title is in the frame above the window`() {
        let bar = TitleBar(content: content, frame: PixelRect(x: 105, y: 100, width: 410, height: 335), screen: screen)
        #expect(bar.rectangle == PixelRect(x: 105, y: 100, width: 410, height: 30))
        #expect(bar.isInside(PixelRect(x: 0, y: 0, width: 1000, height: 800)))
        #expect(!bar.isInside(PixelRect(x: 0, y: 110, width: 1000, height: 600)))
    }

    @Test func `Without a frame, or with a thin one, the title is at the top of the window`() {
        for frame in [content, PixelRect(x: 108, y: 128, width: 404, height: 304)] {
            #expect(
                TitleBar(content: content, frame: frame, screen: screen).rectangle
                    == PixelRect(x: 110, y: 130, width: 400, height: 32))
        }
        let low = PixelRect(x: 0, y: 0, width: 50, height: 10)
        #expect(TitleBar(content: low, frame: low, screen: screen).rectangle == low)
    }

    @Test func `A title outside the screen is in no area`() {
        let above = PixelRect(x: 110, y: -100, width: 400, height: 300)
        let bar = TitleBar(content: above, frame: above, screen: screen)
        #expect(bar.rectangle.isEmpty && !bar.isInside(PixelRect(x: -1000, y: -1000, width: 3000, height: 3000)))
    }
}
